import { type ExecutionProvider, isSameWay, type Way, type ProviderCheck } from "../../transport/providers.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { BatchCheck, Verdict } from "../../transport/protocol.js";
import type { LoadPlan, ModelSession } from "./model-session.js";
import type { ModelState } from "../options/model.js";
import type { SlotListener } from "./slot-life.js";
import { WorkerSlot } from "./worker-slot.js";
import type { Run, RunResult } from "./pending-runs.js";
import type { WorkerClient } from "./worker-client.js";

/** Receives the events of a pool. */
export interface PoolListener {
  /** A worker was lost, or could not be replaced. Others may still run. */
  onLoss(error: FramebatchError): void;
  /** The state of the model has changed. `error` is what caused the change; `null` if nothing failed. */
  onState(state: ModelState, error: FramebatchError | null): void;
  /** The model runs in another way from now on. `why`: the reason, in words. */
  onWay(way: Way, why: string): void;
  /** A session was replaced, or has completed its check of batches: whether batches are trusted may have changed. */
  onVerdict(): void;
  /** See `SlotListener`. */
  onRetiring(client: WorkerClient): void;
}

/**
 * The workers of one model, as many as `instances` (1 by default). The state of the model is that of its best worker.
 */
export class WorkerPool implements SlotListener {
  readonly #plan: LoadPlan;
  readonly #providers: readonly ExecutionProvider[];
  readonly #slots: WorkerSlot[] = [];
  /** The providers on which batches have failed the check in some worker. */
  readonly #failed = new Map<ExecutionProvider, BatchCheck>();
  /** What a worker has found wrong about a provider; `null` if nothing. */
  #wrong: ProviderCheck | null = null;
  #listener: PoolListener | null = null;
  #state: ModelState = "ready";
  /** The way in which the model ran when it was noted last; `null` before there is a listener. */
  #way: Way | null = null;
  /** Why the model changes its way; `null` while it does not. */
  #why: string | null = null;
  /** Set from the call of `unload` until the next `restart`. Settles when the workers have ended. */
  #unloaded: Promise<unknown> | null = null;

  private constructor(plan: LoadPlan, providers: readonly ExecutionProvider[]) {
    this.#plan = plan;
    this.#providers = providers;
  }

  /**
   * Loads the model in the first worker, then in the others. The others start with the provider that the first one
   * chose.
   * @throws as `WorkerSlot.start`
   */
  static async start(
    plan: LoadPlan,
    providers: readonly ExecutionProvider[],
    instances: number,
    signal: AbortSignal,
  ): Promise<WorkerPool> {
    const pool = new WorkerPool(plan, providers);
    try {
      const first = await WorkerSlot.start(plan, providers, signal, pool);
      pool.#slots.push(first);
      const starts = Array.from({ length: instances - 1 }, () => pool.#startAfter(first, signal));
      for (const other of await Promise.allSettled(starts)) {
        if (other.status === "fulfilled") pool.#slots.push(other.value);
      }
      await Promise.all(starts);
      for (const slot of pool.#slots) pool.#leaveIfFailed(slot);
      pool.onCompared(first.session.providerCheck());
      plan.files.release();
      return pool;
    } catch (error) {
      pool.dispose(error);
      throw error;
    }
  }

  /** Starts a worker with the provider of another one. */
  #startAfter({ session: { model, batchCheck } }: WorkerSlot, signal: AbortSignal): Promise<WorkerSlot> {
    const worked = this.#providers.slice(this.#providers.indexOf(model.provider));
    const found = [{ provider: model.provider, batchCheck: batchCheck() }];
    // Only the first load reports progress, so that it never goes backwards. The others reuse its verdict on batches.
    const plan = {
      ...this.#plan,
      // One worker meets enough items to judge their provider for all.
      request: { ...this.#plan.request, found, signature: model.signature, comparesProviders: false },
      onProgress: () => undefined,
    };
    return WorkerSlot.start(plan, worked, signal, this);
  }

  get slots(): readonly WorkerSlot[] {
    return this.#slots;
  }

  get state(): ModelState {
    return this.#state;
  }

  /** Whether no worker is being replaced. */
  get isSettled(): boolean {
    return this.#slots.every(({ state }) => state === "ready" || state === "failed");
  }

  /** The session of a ready worker; if none is ready, that of the first worker. */
  get session(): ModelSession {
    const [first] = this.#slots;
    const chosen = this.#slots.find(({ state }) => state === "ready") ?? first;
    if (chosen === undefined) throw new RangeError("expected a pool with a worker, got none");
    return chosen.session;
  }

  /**
   * Makes a run on the ready worker with the fewest pending batches. If that worker fails permanently, another one
   * takes over the run.
   * @throws as `WorkerSlot.run`; the failure of a worker only when every worker has failed
   */
  run(run: Run): Promise<RunResult> {
    const [only] = this.#slots;
    return only !== undefined && this.#slots.length === 1 ? only.run(run) : this.#runOnSome(run);
  }

  async #runOnSome(run: Run): Promise<RunResult> {
    const slot = this.#leastBurdened();
    try {
      return await slot.run(run);
    } catch (error) {
      if (slot.state !== "failed" || this.#slots.every(({ state }) => state === "failed")) throw error;
      return this.#runOnSome(run);
    }
  }

  #leastBurdened(): WorkerSlot {
    const burdens = this.#slots.map(burdenOf);
    const slot = this.#slots[burdens.indexOf(Math.min(...burdens))];
    if (slot === undefined) throw new RangeError("expected a pool with a worker, got none");
    return slot;
  }

  /** Sets the listener. Events before this call are not reported. */
  listen(listener: PoolListener): void {
    this.#way = this.session.model;
    this.#listener = listener;
  }

  onState(state: WorkerSlot["state"], error: FramebatchError | null): void {
    if (error !== null) this.#listener?.onLoss(error);
    if (state === "ready") this.#listener?.onVerdict();
    this.#update(error);
    if (state === "ready") this.#noteWay();
  }

  /** If batches fail the check in one worker, every worker on the same provider switches to the next provider. */
  onChecked({ provider, batchCheck }: Verdict): void {
    if (batchCheck.outcome === "failed") this.#failed.set(provider, batchCheck);
    this.#apply(provider, batchCheck);
  }

  /** If answers of a provider are wrong in one worker, every worker on that provider switches to the next one. */
  onCompared(check: ProviderCheck): void {
    if (check.outcome === "failed") this.#wrong = check;
    this.#apply(check.provider, check);
  }

  #apply(provider: ExecutionProvider, check: BatchCheck | ProviderCheck): void {
    if (check.outcome === "failed")
      for (const slot of this.#slots) if (slot.session.model.provider === provider) slot.leaveProvider(check);
    this.#listener?.onVerdict();
  }

  /** What is known of the answers of the provider that the model runs on, or of one that it has left as wrong. */
  get providerCheck(): ProviderCheck {
    return this.#wrong ?? this.session.providerCheck();
  }

  /** Has a worker that was starting meanwhile leave a provider. */
  #leaveIfFailed(slot: WorkerSlot): void {
    const check = this.#failed.get(slot.session.model.provider);
    if (check !== undefined) slot.leaveProvider(check);
  }

  #noteWay(): void {
    const { model, trials } = this.session;
    const isOther = this.#way !== null && !isSameWay(model, this.#way);
    this.#way = model;
    if (isOther) this.#listener?.onWay(model, this.#why ?? trials.findLast(({ chosen }) => !chosen)?.reason ?? "");
  }

  onRetiring(client: WorkerClient): void {
    this.#listener?.onRetiring(client);
  }

  /**
   * Restarts every worker, or starts them again after `unload`. Resolves if at least one is ready.
   * @throws the first failure when no worker could be restarted
   */
  async restart(): Promise<void> {
    if (this.#unloaded !== null) await this.#unloaded;
    this.#unloaded = null;
    const ends = await Promise.allSettled(this.#slots.map((slot) => slot.restart()));
    const failures = ends.filter((end) => end.status === "rejected");
    if (failures[0] !== undefined && failures.length === ends.length) throw failures[0].reason;
  }

  /** Ends every worker when nothing runs, to free their memory. The state is `unloaded` from now on until `restart`. */
  async unload(): Promise<void> {
    this.#unloaded ??= Promise.all(this.#slots.map((slot) => slot.unload()));
    this.#update(null);
    await this.#unloaded;
  }

  /**
   * Goes on in another way to run, see `WorkerSlot`. Returns whether it does.
   * @param why the reason, in words
   * @param wrong see `WorkerSlot`. @default none
   */
  async changeWay(way: Way, why: string, wrong: ExecutionProvider | null = null): Promise<boolean> {
    this.#why = why;
    await Promise.all(this.#slots.map((slot) => slot.changeWay(way, wrong)));
    this.#why = null;
    return this.#slots.every(({ session }) => isSameWay(session.model, way));
  }

  /** Size of the WebAssembly memory of all workers, in bytes. */
  get memoryBytes(): number {
    return this.#slots.reduce((sum, { session }) => sum + session.client.memoryBytes, 0);
  }

  /** Ends every worker. Open and later runs reject with `error`. */
  dispose(error: unknown): void {
    this.#listener = null;
    for (const slot of this.#slots) slot.dispose(error);
    this.#plan.clock.close();
  }

  #update(error: FramebatchError | null): void {
    const state = this.#unloaded === null ? stateOf(this.#slots) : "unloaded";
    if (state === this.#state) return;
    this.#state = state;
    this.#listener?.onState(state, error);
  }
}

function stateOf(slots: readonly WorkerSlot[]): ModelState {
  if (slots.some(({ state }) => state === "ready")) return "ready";
  return slots.every(({ state }) => state === "failed") ? "failed" : "recovering";
}

/** Returns the sort key for choosing a worker: ready workers come first, then restarting ones, then failed ones. */
function burdenOf({ state, pendingBatches }: WorkerSlot): number {
  if (state === "failed") return Infinity;
  return state === "ready" ? pendingBatches : pendingBatches + RESTART_BURDEN;
}

/** Counts as this many pending batches: a worker that restarts gets a run only if no worker is ready. */
const RESTART_BURDEN = 1e6;
