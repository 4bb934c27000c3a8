import type { ExecutionProvider } from "../../core/providers.js";
import type { FramebatchError } from "../../core/errors.js";
import type { Verdict } from "../../transport/protocol.js";
import type { LoadPlan, ModelSession } from "./model-session.js";
import type { ModelState } from "../options/model.js";
import { WorkerSlot, type SlotListener } from "./worker-slot.js";
import type { Job } from "./job.js";
import type { RunResult } from "./worker-client.js";

export interface PoolListener {
  /** A worker was lost, or could not be brought back; another may still run. */
  onLoss(error: FramebatchError): void;
  onState(state: ModelState, error: FramebatchError | null): void;
  /** Another session runs, or one has found out about its batches: what is trusted may have changed. */
  onVerdict(): void;
}

/** The workers of one model: one, unless `instances` asks for more. The model is as well as the best of them. */
export class WorkerPool implements SlotListener {
  readonly #slots: WorkerSlot[] = [];
  #listener: PoolListener | null = null;
  #state: ModelState = "ready";

  /** Loads the first worker, and then the others on what has worked for it. @throws as `WorkerSlot.start`. */
  static async start(
    plan: LoadPlan,
    providers: readonly ExecutionProvider[],
    instances: number,
    signal: AbortSignal,
  ): Promise<WorkerPool> {
    const pool = new WorkerPool();
    try {
      const first = await WorkerSlot.start(plan, providers, signal, pool);
      pool.#slots.push(first);
      const worked = providers.slice(providers.indexOf(first.session.model.provider));
      const { model, batchCheck } = first.session;
      const found = [{ provider: model.provider, batchCheck: batchCheck() }];
      // One load is told of: progress that only ever grows. What it has found out is not found out again.
      const others = { ...plan, request: { ...plan.request, found }, onProgress: () => undefined };
      const starts = Array.from({ length: instances - 1 }, () => WorkerSlot.start(others, worked, signal, pool));
      for (const other of await Promise.allSettled(starts)) {
        if (other.status === "fulfilled") pool.#slots.push(other.value);
      }
      await Promise.all(starts);
      plan.files.release();
      return pool;
    } catch (error) {
      pool.dispose(error);
      throw error;
    }
  }

  get slots(): readonly WorkerSlot[] {
    return this.#slots;
  }

  get state(): ModelState {
    return this.#state;
  }

  /** Whether no worker is on its way to another session. */
  get isSettled(): boolean {
    return this.#slots.every(({ isReady, hasFailed }) => isReady || hasFailed);
  }

  /** The session of a worker that is well, where there is one. */
  get session(): ModelSession {
    const [first] = this.#slots;
    const chosen = this.#slots.find(({ isReady }) => isReady) ?? first;
    if (chosen === undefined) throw new RangeError("expected a pool with a worker, got none");
    return chosen.session;
  }

  /**
   * Runs a job on the ready worker with the fewest pending batches. Another worker takes over the job of a worker that failed for good.
   * @throws as `WorkerSlot.run`, when every worker has failed
   */
  async run(job: Job): Promise<RunResult> {
    const slot = this.#slots.reduce((best, other) => (burdenOf(other) < burdenOf(best) ? other : best));
    try {
      return await slot.run(job);
    } catch (error) {
      if (!slot.hasFailed || this.#slots.every(({ hasFailed }) => hasFailed)) throw error;
      return this.run(job);
    }
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
    const alike = this.#slots.filter(({ session }) => session.model.provider === provider);
    if (batchCheck.outcome === "failed") for (const slot of alike) slot.leaveProvider(batchCheck);
    this.#listener?.onVerdict();
  }

  onFailed(error: FramebatchError): void {
    this.#listener?.onLoss(error);
    this.#update(error);
  }

  /** Starts every worker anew. @throws why, where none came back. */
  async restart(): Promise<void> {
    const ends = await Promise.allSettled(this.#slots.map((slot) => slot.restart()));
    const failures = ends.filter((end) => end.status === "rejected");
    if (failures[0] !== undefined && failures.length === ends.length) throw failures[0].reason;
  }

  dispose(error: unknown): void {
    this.#listener = null;
    for (const slot of this.#slots) slot.dispose(error);
  }

  #update(error: FramebatchError | null): void {
    const state = stateOf(this.#slots);
    if (state === this.#state) return;
    this.#state = state;
    this.#listener?.onState(state, error);
  }
}

function stateOf(slots: readonly WorkerSlot[]): ModelState {
  if (slots.some(({ isReady }) => isReady)) return "ready";
  return slots.every(({ hasFailed }) => hasFailed) ? "failed" : "recovering";
}

/** A worker that is being restarted comes after every ready one, and a failed one last. */
function burdenOf({ hasFailed, isReady, pendingBatches }: WorkerSlot): number {
  if (hasFailed) return Infinity;
  return isReady ? pendingBatches : pendingBatches + RESTART_BURDEN;
}

const RESTART_BURDEN = 1e6;
