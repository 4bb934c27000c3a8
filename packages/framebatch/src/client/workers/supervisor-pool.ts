import type { ExecutionProvider } from "../../core/providers.js";
import type { FramebatchError } from "../../core/errors.js";
import type { Verdict } from "../../core/protocol/protocol.js";
import type { LoadPlan, ModelSession } from "./model-session.js";
import type { ModelState } from "../options/model.js";
import { Supervisor, type SupervisorListener } from "./supervisor.js";

export interface PoolListener {
  /** A worker was lost, or could not be brought back; another may still run. */
  onLoss(error: FramebatchError): void;
  onState(state: ModelState, error: FramebatchError | null): void;
  /** Another session runs, or one has found out about its batches: what is trusted may have changed. */
  onVerdict(): void;
}

/** The workers of one model: one, unless `instances` asks for more. The model is as well as the best of them. */
export class SupervisorPool implements SupervisorListener {
  readonly #supervisors: Supervisor[] = [];
  #listener: PoolListener | null = null;
  #state: ModelState = "ready";

  /** Loads the first worker, and then the others on what has worked for it. @throws as `Supervisor.start`. */
  static async start(
    plan: LoadPlan,
    providers: readonly ExecutionProvider[],
    instances: number,
    signal: AbortSignal,
  ): Promise<SupervisorPool> {
    const pool = new SupervisorPool();
    try {
      const first = await Supervisor.start(plan, providers, signal, pool);
      pool.#supervisors.push(first);
      const worked = providers.slice(providers.indexOf(first.session.model.provider));
      const { model, batchCheck } = first.session;
      const found = [{ provider: model.provider, batchCheck: batchCheck() }];
      // One load is told of: progress that only ever grows. What it has found out is not found out again.
      const others = { ...plan, request: { ...plan.request, found }, onProgress: () => undefined };
      const starts = Array.from({ length: instances - 1 }, () => Supervisor.start(others, worked, signal, pool));
      for (const other of await Promise.allSettled(starts)) {
        if (other.status === "fulfilled") pool.#supervisors.push(other.value);
      }
      await Promise.all(starts);
      plan.files.release();
      return pool;
    } catch (error) {
      pool.dispose(error);
      throw error;
    }
  }

  get supervisors(): readonly Supervisor[] {
    return this.#supervisors;
  }

  get state(): ModelState {
    return this.#state;
  }

  /** Whether no worker is on its way to another session. */
  get isSettled(): boolean {
    return this.#supervisors.every(({ isReady, hasFailed }) => isReady || hasFailed);
  }

  /** The session of a worker that is well, where there is one. */
  get session(): ModelSession {
    const [first] = this.#supervisors;
    const chosen = this.#supervisors.find(({ isReady }) => isReady) ?? first;
    if (chosen === undefined) throw new RangeError("expected a pool with a worker, got none");
    return chosen.session;
  }

  listen(listener: PoolListener): void {
    this.#listener = listener;
  }

  onRecovering(error: FramebatchError | null): void {
    if (error !== null) this.#listener?.onLoss(error);
    this.#update(error);
  }

  onReady(): void {
    this.#listener?.onVerdict();
    this.#update(null);
  }

  /** What one worker finds wrong is wrong on all that run the model on the same provider. */
  onChecked({ provider, batchCheck }: Verdict): void {
    const alike = this.#supervisors.filter(({ session }) => session.model.provider === provider);
    if (batchCheck.outcome === "failed") for (const supervisor of alike) supervisor.leaveProvider(batchCheck);
    this.#listener?.onVerdict();
  }

  onFailed(error: FramebatchError): void {
    this.#listener?.onLoss(error);
    this.#update(error);
  }

  /** Starts every worker anew. @throws why, where none came back. */
  async restart(): Promise<void> {
    const ends = await Promise.allSettled(this.#supervisors.map((supervisor) => supervisor.restart()));
    const failures = ends.filter((end) => end.status === "rejected");
    if (failures[0] !== undefined && failures.length === ends.length) throw failures[0].reason;
  }

  dispose(error: unknown): void {
    this.#listener = null;
    for (const supervisor of this.#supervisors) supervisor.dispose(error);
  }

  #update(error: FramebatchError | null): void {
    const state = stateOf(this.#supervisors);
    if (state === this.#state) return;
    this.#state = state;
    this.#listener?.onState(state, error);
  }
}

function stateOf(supervisors: readonly Supervisor[]): ModelState {
  if (supervisors.some(({ isReady }) => isReady)) return "ready";
  return supervisors.every(({ hasFailed }) => hasFailed) ? "failed" : "recovering";
}
