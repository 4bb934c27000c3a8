import { FramebatchError } from "../core/errors.js";
import type { Provider } from "../core/protocol.js";
import { DeathLog } from "./death-log.js";
import { patienceMs } from "./hang-watch.js";
import { openSession, type LoadPlan, type ModelSession } from "./model-session.js";
import type { LivingReply, OpenRun } from "./worker-handle.js";
import type { Job } from "./worker-seat.js";

export interface SupervisorListener {
  /** `null` where it is started anew because someone asked for it. */
  onRecovering(error: FramebatchError | null): void;
  onReady(): void;
  onFailed(error: FramebatchError): void;
}

/**
 * Keeps a model running. When its worker dies, hangs, or loses its device, starts a new one (on WebGPU once more, then on
 * WASM) and runs again what was in flight: predictions change nothing, so running one twice does no harm.
 *
 * Only the run that a worker was at can have ended it. It is run once more; if it ends a second worker it has failed, and
 * whoever sent it may find out which of its items it is. All others are run as often as it takes.
 */
export class Supervisor {
  readonly #plan: LoadPlan;
  readonly #providers: readonly Provider[];
  readonly #listener: SupervisorListener;
  readonly #deaths = new DeathLog();
  #session: ModelSession;
  #recovery: Promise<void> | null = null;
  /** Ends the loading that goes on. */
  #loading = new AbortController();
  /** Why nothing can run any more: it could not be brought back, or it was disposed of. */
  #end: { readonly reason: unknown; readonly isFinal: boolean } | null = null;

  private constructor(
    plan: LoadPlan,
    providers: readonly Provider[],
    listener: SupervisorListener,
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
    providers: readonly Provider[],
    signal: AbortSignal,
    listener: SupervisorListener,
  ): Promise<Supervisor> {
    const session = await openSession(plan, providers, signal, (error) => supervisor.#recover(error));
    const supervisor = new Supervisor(plan, providers, listener, session);
    return supervisor;
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

  /** @throws why the model could not be brought back, or what `makeFeeds` throws. */
  async run(job: Job): Promise<LivingReply> {
    const run = { patienceMs: patienceMs(job.predictedMs, this.#plan.runTimeoutMs), size: job.size };
    for (let deathsLeft = mostDeaths(job); ;) {
      // A worker that is ready gets its batch in the same turn.
      const session = this.isReady ? this.#session : await this.#readySession();
      try {
        return await this.#runOn(session, job, run);
      } catch (error) {
        if (!session.handle.hasEnded) throw error;
        if (session.handle.interrupted !== run || !(error instanceof FramebatchError)) continue;
        deathsLeft -= 1;
        // What there is no memory for once there is none for twice.
        if (deathsLeft === 0 || error.code === "OUT_OF_MEMORY") return { ok: false, error };
      }
    }
  }

  /** Starts anew, with every provider. @throws why it could not, or what it was disposed of with. */
  async restart(): Promise<void> {
    if (this.#end?.isFinal) throw this.#end.reason;
    this.#session.handle.terminate(null);
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
    this.#session.handle.terminate(error);
  }

  async #runOn({ handle }: ModelSession, { makeFeeds }: Job, run: OpenRun): Promise<LivingReply> {
    const made = makeFeeds(handle);
    const reply = await handle.run({ feeds: made instanceof Promise ? await made : made }, run);
    this.#deaths.survived();
    return reply;
  }

  async #readySession(): Promise<ModelSession> {
    while (this.#recovery !== null) await this.#recovery;
    if (this.#end !== null) throw this.#end.reason;
    return this.#session;
  }

  #recover(error: FramebatchError): void {
    if (this.#end !== null) return;
    const { handle, model } = this.#session;
    const { isHopeless, isGpuDoubtful } = this.#deaths.died(handle.interrupted, model.provider, performance.now());
    if (isHopeless) return this.#fail(error, null);
    const left = this.#providers.slice(this.#providers.indexOf(model.provider));
    const withoutGpu = left.filter((provider) => provider !== "webgpu");
    this.#reopen(isGpuDoubtful && withoutGpu.length > 0 ? withoutGpu : left, error);
  }

  /** @param loss why; `null` where someone asked for it */
  #reopen(providers: readonly Provider[], loss: FramebatchError | null): void {
    this.#loading.abort(null);
    this.#loading = new AbortController();
    this.#recovery = this.#load(providers, this.#loading.signal, loss);
    this.#listener.onRecovering(loss);
  }

  /** Never rejects: what goes wrong is kept for those who wait. */
  async #load(providers: readonly Provider[], signal: AbortSignal, loss: FramebatchError | null): Promise<void> {
    try {
      const onDeath = (error: FramebatchError) => this.#recover(error);
      const session = await openSession(this.#plan, providers, signal, onDeath, this.#session);
      if (signal.aborted) return session.handle.terminate(null);
      this.#session = session;
      this.#recovery = null;
      this.#listener.onReady();
    } catch (error) {
      if (!signal.aborted) this.#fail(loss, error);
    }
  }

  /** @param loss the death of the last worker, where there was one; @param error why there is no other */
  #fail(loss: FramebatchError | null, error: unknown): void {
    const failure = failureOf(loss, error);
    this.#recovery = null;
    this.#end = { reason: failure, isFinal: false };
    this.#listener.onFailed(failure);
  }
}

/**
 * How many workers a job may end. A step of a search for a culprit is about to be halved anyway; but a single item is not
 * condemned for what may have been chance.
 */
function mostDeaths({ size, isStep }: Job): number {
  return isStep && size > 1 ? 1 : 2;
}

/** @param error why no other worker could be loaded; `null` where none was tried */
function failureOf(loss: FramebatchError | null, error: unknown): FramebatchError {
  if (loss === null && error instanceof FramebatchError) return error;
  const isChanged = error instanceof FramebatchError && error.code === "MODEL_INTEGRITY";
  const { code, details } = isChanged ? error : (loss ?? { code: "WORKER_CRASHED", details: {} });
  const message = loss?.message ?? "the worker was ended as asked";
  const reason = error instanceof Error ? error.message : "no reason given";
  const why = error === null ? "so did those before it" : `it could not be loaded again: ${reason}`;
  return new FramebatchError(code, `${message}; ${why}`, { cause: error ?? loss, details });
}
