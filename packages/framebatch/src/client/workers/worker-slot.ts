import { type ExecutionProvider, traitsOf } from "../../core/providers.js";
import { FramebatchError } from "../../core/errors.js";
import type { BatchCheck, Verdict } from "../../transport/protocol.js";
import { CrashHistory } from "./crash-history.js";
import { runTimeoutFor } from "../../time/hang-watchdog.js";
import { openSession, type LoadPlan, type ModelSession, type SessionListener } from "./model-session.js";
import { ProviderProbation } from "./provider-probation.js";
import type { PendingRun } from "./pending-runs.js";
import type { RunResult } from "./worker-client.js";
import { type Job, maxDeaths } from "./job.js";

export interface SlotListener {
  /** `null` where it is started anew because someone asked for it. */
  onRecovering(error: FramebatchError | null): void;
  onReady(): void;
  onFailed(error: FramebatchError): void;
  /** Its worker has found out whether batches of the model can be trusted. */
  onChecked(verdict: Verdict): void;
}

/**
 * Keeps a model running. When its worker dies, hangs, or loses its device, starts a new one (on WebGPU once more, then on
 * WASM) and runs again what was in flight: predictions change nothing, so running one twice does no harm.
 *
 * Only the run that a worker was at can have ended it. It is run once more; if it ends a second worker it has failed, and
 * whoever sent it may find out which of its items it is. All others are run as often as it takes.
 */
export class WorkerSlot {
  readonly #plan: LoadPlan;
  readonly #providers: readonly ExecutionProvider[];
  readonly #listener: SlotListener;
  readonly #deaths = new CrashHistory();
  readonly #doubt = new ProviderProbation();
  /** What was found out about batches, on every provider that was tried. */
  readonly #found = new Map<ExecutionProvider, BatchCheck>();
  #session: ModelSession;
  #recovery: Promise<void> | null = null;
  /** Ends the loading that goes on. */
  #loading = new AbortController();
  /** Why nothing can run any more: it could not be brought back, or it was disposed of. */
  #end: { readonly reason: unknown; readonly isFinal: boolean } | null = null;
  #running = 0;
  /** Resolves the exclusive jobs that wait until nothing runs. */
  readonly #waiting: (() => void)[] = [];

  private constructor(
    plan: LoadPlan,
    providers: readonly ExecutionProvider[],
    listener: SlotListener,
    session: ModelSession,
  ) {
    // What `onProgress` tells of is the first load: it only ever grows, and ends.
    this.#plan = { ...plan, onProgress: () => undefined };
    this.#providers = providers;
    this.#listener = listener;
    this.#session = session;
  }

  /** Loads the model. @throws `signal.reason`, or why no provider works. */
  static async start(
    plan: LoadPlan,
    providers: readonly ExecutionProvider[],
    signal: AbortSignal,
    listener: SlotListener,
  ): Promise<WorkerSlot> {
    const session = await openSession(plan, providers, signal, {
      onChecked: (check) => slot.#checked(session, check),
      onDeath: (error) => slot.#recover(error),
    });
    const slot = new WorkerSlot(plan, providers, listener, session);
    return slot;
  }

  /** The session that runs, or ran last. */
  get session(): ModelSession {
    return this.#session;
  }

  get isReady(): boolean {
    return this.#recovery === null && this.#end === null;
  }

  get hasFailed(): boolean {
    return this.#end !== null;
  }

  /** Batches that run or wait here; the pool prefers the slot with the fewest. */
  get pendingBatches(): number {
    return this.#running + this.#waiting.length;
  }

  /** @throws the reason why the model cannot be loaded again, or what `makeFeeds` throws */
  async run(job: Job): Promise<RunResult> {
    while (job.isExclusive && this.#running > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      return await this.#attempt(job);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#waiting.shift()?.();
    }
  }

  async #attempt(job: Job): Promise<RunResult> {
    const run = { timeoutMs: runTimeoutFor(job.predictedMs, this.#plan.runTimeoutMs), size: job.size };
    for (let deathsLeft = maxDeaths(job); ;) {
      // A worker that is ready gets its batch in the same turn.
      const session = this.isReady ? this.#session : await this.#readySession();
      try {
        const reply = await this.#runOn(session, job, run);
        return reply.ok ? reply : await this.#doubtProvider(session, job, run, reply);
      } catch (error) {
        if (!session.client.hasEnded) throw error;
        if (session.client.interrupted !== run || !(error instanceof FramebatchError)) continue;
        deathsLeft -= 1;
        // A second attempt does not find more memory.
        if (deathsLeft === 0 || error.code === "OUT_OF_MEMORY") return { ok: false, error };
      }
    }
  }

  /** Starts anew, with every provider. @throws why it could not, or what it was disposed of with. */
  async restart(): Promise<void> {
    if (this.#end?.isFinal) throw this.#end.reason;
    this.#session.client.terminate(null);
    this.#deaths.forget();
    this.#end = null;
    this.#reopen(this.#providers, null);
    await this.#readySession();
  }

  /** Ends the worker; open and later runs reject with `error`. */
  dispose(error: unknown): void {
    this.#end = { reason: error, isFinal: true };
    this.#recovery = null;
    this.#loading.abort(error);
    this.#session.client.terminate(error);
  }

  async #runOn(session: ModelSession, { makeFeeds }: Job, run: PendingRun): Promise<RunResult> {
    const { client } = session;
    const made = makeFeeds(client);
    const reply = await client.run({ feeds: made instanceof Promise ? await made : made }, run);
    this.#deaths.survived();
    if (reply.ok) this.#doubt.hasRun(session);
    return reply;
  }

  /**
   * Runs on the next provider what has failed on one that was accepted without a run. Where it runs there, that provider takes over;
   * else the failure is the item's own, and the provider stays.
   */
  async #doubtProvider(session: ModelSession, job: Job, run: PendingRun, failed: RunResult): Promise<RunResult> {
    const left = this.#providersAfter(session);
    if (left.length === 0 || session !== this.#session || !this.#doubt.isOpen(session)) return failed;
    const other = await this.#openAside(left);
    if (other === null) return failed;
    const reply = await this.#runOn(other, job, run).catch(() => failed);
    if (reply.ok && this.#session === session && this.isReady) this.#takeOver(other, replyMessage(failed));
    else other.client.terminate(null);
    return reply.ok ? reply : failed;
  }

  async #readySession(): Promise<ModelSession> {
    while (this.#recovery !== null) await this.#recovery;
    if (this.#end !== null) throw this.#end.reason;
    return this.#session;
  }

  /**
   * Batches are wrong on the provider that the model runs on: goes on with the next one, if there is one. What is in flight are
   * single items, which end where they are, or run again. Only a model that takes one item at a time anyway stays.
   */
  leaveProvider(check: BatchCheck): void {
    const left = this.#providersAfter(this.#session);
    this.#found.set(this.#session.model.provider, check);
    if (left.length === 0 || !this.isReady || this.#session.model.isRebatched) return;
    this.#recovery = this.#changeProvider(left, check.reason);
    this.#listener.onRecovering(null);
  }

  #providersAfter({ model }: ModelSession): readonly ExecutionProvider[] {
    return this.#providers.slice(this.#providers.indexOf(model.provider) + 1);
  }

  /** Never rejects: where no other provider works, the model stays where it is. */
  async #changeProvider(left: readonly ExecutionProvider[], why: string): Promise<void> {
    const { signal } = this.#loading;
    const other = await this.#openAside(left);
    if (signal.aborted) return other?.client.terminate(null);
    this.#recovery = null;
    if (other === null) this.#listener.onReady();
    else this.#takeOver(other, why);
  }

  /** A session beside the one that runs; `null` where there can be none. */
  async #openAside(providers: readonly ExecutionProvider[]): Promise<ModelSession | null> {
    return this.#open(providers, this.#loading.signal).catch(() => null);
  }

  /** Puts another session in place of the one that runs. What that one has not answered runs again. */
  #takeOver(other: ModelSession, why: string): void {
    const { client, model, trials } = this.#session;
    const earlier = trials.filter(({ chosen }) => !chosen);
    const passedOver = { provider: model.provider, chosen: false, reason: why };
    this.#session = { ...other, trials: [...earlier, passedOver, ...other.trials] };
    client.terminate(null);
    this.#listener.onReady();
  }

  #checked(session: ModelSession, batchCheck: BatchCheck): void {
    const { provider } = session.model;
    this.#found.set(provider, batchCheck);
    this.#listener.onChecked({ provider, batchCheck });
  }

  #recover(error: FramebatchError): void {
    if (this.#end !== null) return;
    const { client, model } = this.#session;
    const { shouldGiveUp, shouldAvoidGpu } = this.#deaths.died(client.interrupted, model.provider, performance.now());
    if (shouldGiveUp) return this.#fail(error, null);
    const left = this.#providers.slice(this.#providers.indexOf(model.provider));
    const withoutGpu = left.filter((provider) => !traitsOf(provider).usesGpu);
    this.#reopen(shouldAvoidGpu && withoutGpu.length > 0 ? withoutGpu : left, error);
  }

  /** @param loss why; `null` where someone asked for it */
  #reopen(providers: readonly ExecutionProvider[], loss: FramebatchError | null): void {
    this.#loading.abort(null);
    this.#loading = new AbortController();
    this.#recovery = this.#load(providers, this.#loading.signal, loss);
    this.#listener.onRecovering(loss);
  }

  /** Never rejects: what goes wrong is kept for those who wait. */
  async #load(
    providers: readonly ExecutionProvider[],
    signal: AbortSignal,
    loss: FramebatchError | null,
  ): Promise<void> {
    try {
      const session = await this.#open(providers, signal);
      if (signal.aborted) return session.client.terminate(null);
      this.#session = session;
      this.#recovery = null;
      this.#listener.onReady();
    } catch (error) {
      if (!signal.aborted) this.#fail(loss, error);
    }
  }

  async #open(providers: readonly ExecutionProvider[], signal: AbortSignal): Promise<ModelSession> {
    this.#found.set(this.#session.model.provider, this.#session.batchCheck());
    const found = Array.from(this.#found, ([provider, batchCheck]) => ({ provider, batchCheck }));
    const listener: SessionListener = {
      onChecked: (check) => this.#checked(session, check),
      // The end of a session that has not taken over, or no longer runs, is no loss.
      onDeath: (error) => session.client === this.#session.client && this.#recover(error),
    };
    const session = await openSession(this.#plan, providers, signal, listener, found);
    return session;
  }

  /** @param loss the death of the last worker, where there was one; @param error why there is no other */
  #fail(loss: FramebatchError | null, error: unknown): void {
    const failure = recoveryFailure(loss, error);
    this.#recovery = null;
    this.#end = { reason: failure, isFinal: false };
    this.#listener.onFailed(failure);
  }
}

function replyMessage(reply: RunResult): string {
  return reply.ok ? "" : reply.error.message;
}

/** @param error why no other worker could be loaded; `null` where none was tried */
function recoveryFailure(loss: FramebatchError | null, error: unknown): FramebatchError {
  if (loss === null && error instanceof FramebatchError) return error;
  const isChanged = error instanceof FramebatchError && error.code === "MODEL_INTEGRITY";
  const { code, details } = isChanged ? error : (loss ?? { code: "WORKER_CRASHED", details: {} });
  const message = loss?.message ?? "the worker was ended as asked";
  const reason = error instanceof Error ? error.message : "no reason given";
  const why = error === null ? "so did those before it" : `it could not be loaded again: ${reason}`;
  return new FramebatchError(code, `${message}; ${why}`, { cause: error ?? loss, details });
}
