import {
  type ExecutionProvider,
  startingWith,
  traitsOf,
  type Way,
  type ProviderCheck,
} from "../../transport/providers.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { BatchCheck } from "../../transport/protocol.js";
import { CrashHistory, isDeathInLoad, maxCrashes, NOT_COUNTED, recoveryFailure } from "./crash-history.js";
import { runTimeoutFor } from "@framebatch/host/watchdog.js";
import {
  openSession,
  planAfter,
  planAfterDeath,
  type LoadPlan,
  type ModelSession,
  type SessionListener,
} from "./model-session.js";
import { ProviderProbation, RetiringWorkers, SlotLife, type SlotListener } from "./slot-life.js";
import type { FailedRun, Run, RunResult } from "./pending-runs.js";
import type { WorkerClient } from "./worker-client.js";

/** In the order in which they are tried. */
type Providers = readonly ExecutionProvider[];

/**
 * Keeps a model running in one worker at a time. When the worker dies, hangs or loses its device, the slot starts a new
 * one and repeats the runs in flight: predictions have no side effects, so repeating one is safe. The new worker tries
 * the same provider first. After a second crash within two minutes on a provider that uses the GPU, it avoids the GPU.
 *
 * Only the run that a worker was executing can have ended it. That run is repeated once. If it ends a second worker, it
 * fails, and the batcher may search its items for the cause. All other runs are repeated as often as necessary.
 */
export class WorkerSlot {
  #plan: LoadPlan;
  /** A change of way puts its provider first. */
  #providers: Providers;
  readonly #listener: SlotListener;
  readonly #crashes = new CrashHistory();
  readonly #doubt = new ProviderProbation();
  /** The verdict on batches for every provider that was tried. */
  readonly #found = new Map<ExecutionProvider, BatchCheck>();
  readonly #life: SlotLife;
  readonly #retiring: RetiringWorkers;
  /** Number of batches that run or wait in this slot. The pool prefers the slot with the fewest. */
  pendingBatches = 0;
  /** Callbacks that resume each `unload`, which waits until nothing runs, and looks again. */
  readonly #waiting: (() => void)[] = [];

  private constructor(plan: LoadPlan, providers: Providers, listener: SlotListener, session: ModelSession) {
    this.#plan = planAfter(session, plan);
    this.#providers = providers;
    this.#listener = listener;
    this.#life = new SlotLife(session);
    this.#retiring = new RetiringWorkers(listener, plan.runTimeoutMs);
  }

  /** Loads the model in a new worker. @throws `signal.reason` on an abort, or the error of the last provider */
  static async start(
    plan: LoadPlan,
    providers: Providers,
    signal: AbortSignal,
    listener: SlotListener,
  ): Promise<WorkerSlot> {
    const session = await openSession(plan, providers, signal, {
      onChecked: (check) => slot.#checked(session, check),
      onCompared: (check) => listener.onCompared(check),
      onDeath: (error) => slot.#died(session, error),
    });
    const slot = new WorkerSlot(plan, providers, listener, session);
    return slot;
  }

  /** The current session, or the last one if there is none. */
  get session(): ModelSession {
    return this.#life.session;
  }

  get state(): SlotLife["state"] {
    return this.#life.state;
  }

  /**
   * Makes a run, and repeats it when its worker ends, up to the limit of `maxCrashes`. Waits while the slot is
   * replacing its session.
   * @throws why the model cannot be loaded again, or what the run throws
   */
  async run(run: Run): Promise<RunResult> {
    this.pendingBatches += 1;
    try {
      run.timeoutMs = runTimeoutFor(run.predictedMs, this.#plan.runTimeoutMs);
      for (let crashes = 0; ;) {
        // No await if the session is ready: its worker then receives the batch in the same turn of the event loop.
        const { current } = this.#life;
        const session = current.name === "ready" ? current.session : await this.#life.ready();
        const { ending } = session.client;
        if (ending !== null) {
          await ending;
          continue;
        }
        try {
          const result = await run.runOn(session.client, run);
          this.#answered(session, result);
          return result.ok ? result : await this.#doubtProvider(session, run, result);
        } catch (error) {
          if (!session.client.hasEnded) throw error;
          if (session.client.interrupted !== run || !(error instanceof FramebatchError)) continue;
          crashes += 1;
          // A smaller batch may find enough memory. A single item gets another worker, whose memory is all free.
          const isTooLarge = error.code === "OUT_OF_MEMORY" && run.size > 1;
          if (crashes === maxCrashes(run) || isTooLarge) return { ok: false, error };
        }
      }
    } finally {
      this.pendingBatches -= 1;
      if (this.pendingBatches === 0 && this.#waiting.length > 0) for (const resume of this.#waiting.splice(0)) resume();
    }
  }

  /** Starts a new worker, which tries every provider again. @throws why that failed, or the reason of `dispose` */
  async restart(): Promise<void> {
    if (this.state === "disposed") this.#life.throwIfEnded();
    this.#retiring.end(this.session.client);
    this.#crashes.forget();
    this.#reopen(this.#providers, null);
    // An `unload` that comes meanwhile follows the load at once, and lasts for as long as nobody needs the model.
    await this.#life.settled();
    this.#life.throwIfEnded();
  }

  /** Ends the worker when nothing runs, and waits until it is gone. A run that begins later waits for `restart`. */
  async unload(): Promise<void> {
    while (this.state === "opening" || (this.state === "ready" && this.pendingBatches > 0))
      await (this.state === "opening" ? this.#life.settled() : this.#idle());
    if (this.state !== "ready") return;
    const { client } = this.session;
    this.#life.unload();
    this.#retiring.end(client);
    this.#tell(null);
    await client.gone;
  }

  /** Ends the worker; open and later runs reject with `error`. */
  dispose(error: unknown): void {
    this.#life.dispose(error);
    this.session.client.terminate(error);
    this.#retiring.terminate(error);
  }

  #tell(error: FramebatchError | null): void {
    this.#listener.onState(this.state, error);
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #answered(session: ModelSession, { ok }: RunResult): void {
    if (!this.#crashes.isClear) this.#crashes.recordAnswer();
    if (ok && session.model.isProvisional) this.#doubt.hasRun(session);
  }

  /**
   * Repeats a failed run on the next provider if the current one was accepted without a run. If the run succeeds there,
   * the slot switches to that provider. Otherwise the item itself is at fault, and the provider stays.
   */
  async #doubtProvider(session: ModelSession, run: Run, failed: FailedRun): Promise<RunResult> {
    const left = this.#providersAfter(session);
    if (left.length === 0 || session !== this.session || !this.#doubt.isOpen(session)) return failed;
    const other = await this.#openAside(left);
    if (other === null) return failed;
    const result = await run.runOn(other.client, run).catch(() => null);
    if (result !== null) this.#answered(other, result);
    if (result?.ok && this.session === session && this.state === "ready") this.#takeOver(other, failed.error.message);
    else this.#retiring.end(other.client);
    return result?.ok ? result : failed;
  }

  /**
   * Switches to the next provider, if there is one, because batches give wrong answers on the current one, or all
   * answers are wrong. Of batches, all runs in flight are single items. They complete on the old worker or run again on
   * the new one. A rewritten model (`isRebatched`) stays where it is: its original takes one item at a time on every
   * provider.
   * @param check of the answers: no later worker comes back to the provider
   */
  leaveProvider(check: BatchCheck | ProviderCheck): void {
    const left = this.#providersAfter(this.session);
    const isWrong = "provider" in check;
    if (!isWrong) this.#found.set(this.session.model.provider, check);
    if (left.length === 0 || this.state !== "ready" || (this.session.model.isRebatched && !isWrong)) return;
    if (isWrong) this.#providers = left;
    this.#life.replace(this.#changeProvider(left, check.reason));
    this.#tell(null);
  }

  /**
   * Goes on in another way as soon as a worker runs the model in it. Until then, and if that fails, the model stays on
   * its own way. Runs in flight end where they are.
   * @param wrong the provider that no later worker may fall back to, because its answers are wrong
   */
  async changeWay({ provider, numThreads }: Way, wrong: ExecutionProvider | null): Promise<void> {
    // At once: this worker may be replaced before the other one is ready.
    this.#providers = this.#providers.filter((each) => each !== wrong);
    await this.#life.settled();
    const { signal } = this.#life;
    const { isNearGpu } = this.session.model;
    const plan = { ...this.#plan, request: { ...this.#plan.request, numThreads, isDecided: true, isNearGpu } };
    const other = await this.#openAside([provider], plan);
    if (other === null) return;
    if (signal.aborted || this.state !== "ready") return this.#retiring.end(other.client);
    this.#plan = plan;
    this.#providers = startingWith(provider, this.#providers);
    this.#takeOver(other, null, (client) => void this.#retiring.endWhenIdle(client));
  }

  #providersAfter({ model }: ModelSession): Providers {
    return this.#providers.slice(this.#providers.indexOf(model.provider) + 1);
  }

  /** Never rejects: if no other provider works, the model stays on the current one. */
  async #changeProvider(left: Providers, why: string): Promise<void> {
    const { signal } = this.#life;
    const other = await this.#openAside(left);
    if (signal.aborted) return other?.client.terminate(null);
    if (other !== null) return this.#takeOver(other, why);
    this.#life.opened();
    this.#tell(null);
  }

  /** Opens a second session while the current one runs. Returns `null` if that fails. */
  async #openAside(providers: Providers, plan = this.#plan): Promise<ModelSession | null> {
    return this.#open(providers, this.#life.signal, plan).catch(() => null);
  }

  /**
   * Replaces the current session by another one. Runs that the old worker has not answered run again.
   * @param why why its provider is left; `null` if the provider works
   * @param leave ends the old worker
   */
  #takeOver(
    other: ModelSession,
    why: string | null,
    leave = (client: WorkerClient) => this.#retiring.end(client),
  ): void {
    const { client, model, trials } = this.session;
    const left = why === null ? [] : [{ provider: model.provider, chosen: false, reason: why }];
    this.#life.opened({ ...other, trials: [...trials.filter(({ chosen }) => !chosen), ...left, ...other.trials] });
    leave(client);
    this.#tell(null);
  }

  /** Stores and reports the outcome of a check. */
  #checked(session: ModelSession, batchCheck: BatchCheck): void {
    const { provider } = session.model;
    this.#found.set(provider, batchCheck);
    this.#listener.onChecked({ provider, batchCheck });
  }

  /** The death of a session that is not yet, or no longer, the current one needs no recovery. */
  #died(session: ModelSession, error: FramebatchError): void {
    if (session.client === this.session.client) this.#recover(error);
  }

  /** Starts a new worker after a crash, or fails if there were too many crashes. */
  #recover(error: FramebatchError): void {
    if (this.state === "failed" || this.state === "disposed") return;
    const { client, model } = this.session;
    this.#plan = planAfterDeath(client, this.#plan);
    // A run of another page may have ended the worker. That page counts the crash. Nobody counts that of a merged run,
    // whose parts are then run alone.
    const isOwn = client.interrupted !== null || !client.servesOthers;
    const { shouldGiveUp, shouldAvoidGpu } = isOwn
      ? this.#crashes.recordCrash(client.interrupted, model.provider, performance.now())
      : NOT_COUNTED;
    if (shouldGiveUp) return this.#fail(error, null);
    const left = this.#providers.slice(this.#providers.indexOf(model.provider));
    const withoutGpu = left.filter((provider) => !traitsOf(provider).usesGpu);
    this.#reopen(shouldAvoidGpu && withoutGpu.length > 0 ? withoutGpu : left, error);
  }

  /** @param loss what ended the last worker; `null` for a restart that the user requested */
  #reopen(providers: Providers, loss: FramebatchError | null): void {
    this.#life.reopen((signal) => this.#load(providers, signal, loss));
    this.#tell(loss);
  }

  /**
   * Loads the model again. A worker that dies meanwhile is replaced, as one that dies later.
   * Never rejects: a failure is stored, and waiting runs reject with it.
   */
  async #load(providers: Providers, signal: AbortSignal, loss: FramebatchError | null): Promise<void> {
    try {
      const session = await this.#open(providers, signal);
      if (signal.aborted) return session.client.terminate(null);
      this.#life.opened(session);
      this.#tell(null);
      this.#leaveIfFailed(session);
    } catch (error) {
      if (signal.aborted) return;
      if (this.#diesWithoutEnd(error, providers)) this.#fail(loss, error);
      else await this.#load(providers, signal, loss);
    }
  }

  /** Leaves a provider on which batches have failed in another worker while this one was loading. */
  #leaveIfFailed({ model: { provider }, batchCheck }: ModelSession): void {
    const check = this.#found.get(provider);
    if (check?.outcome === "failed" && batchCheck().outcome !== "failed") this.leaveProvider(check);
  }

  /** Counts the failure of a load. Returns whether another load would fail too. */
  #diesWithoutEnd(error: unknown, providers: Providers): boolean {
    const last = providers.at(-1);
    if (last === undefined || !isDeathInLoad(error)) return true;
    return this.#crashes.recordLoss(error, last, performance.now());
  }

  async #open(providers: Providers, signal: AbortSignal, plan = this.#plan): Promise<ModelSession> {
    this.#found.set(this.session.model.provider, this.session.batchCheck());
    const found = Array.from(this.#found, ([provider, batchCheck]) => ({ provider, batchCheck }));
    const listener: SessionListener = {
      onChecked: (check) => this.#checked(session, check),
      onCompared: (check) => this.#listener.onCompared(check),
      onDeath: (error) => this.#died(session, error),
    };
    const session = await openSession(plan, providers, signal, listener, found);
    return session;
  }

  /**
   * Ends the slot until `restart` succeeds.
   * @param loss what ended the last worker; `null` for a restart that the user requested
   * @param error why no other worker could be loaded; `null` if none was tried
   */
  #fail(loss: FramebatchError | null, error: unknown): void {
    const failure = recoveryFailure(loss, error);
    this.#life.fail(failure);
    this.#tell(failure);
  }
}
