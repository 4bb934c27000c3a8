import { FramebatchError } from "../core/errors.js";
import type { Provider, RunRequest } from "../core/protocol.js";
import { openSession, type LoadPlan, type ModelSession } from "./model-session.js";
import type { LivingReply } from "./worker-handle.js";

/** A second loss of the GPU within so long, in milliseconds, means that it is better left alone. */
const GPU_TRUST_MS = 120_000;
/** Deaths in a row, with no run that worked in between, after which it is not worth trying. */
const MAX_DEATHS_IN_A_ROW = 3;

export interface SupervisorListener {
  onRecovering(error: FramebatchError): void;
  onReady(): void;
  onFailed(error: FramebatchError): void;
}

/**
 * Keeps a model running. When its worker dies or its device is lost, starts a new one (on WebGPU once more, then on WASM)
 * and runs again, once, what was in flight: predictions change nothing, so running one twice does no harm.
 */
export class Supervisor {
  readonly #plan: LoadPlan;
  readonly #providers: readonly Provider[];
  readonly #listener: SupervisorListener;
  readonly #life = new AbortController();
  #session: ModelSession;
  #recovery: Promise<void> | null = null;
  /** Why nothing can run any more: it could not be brought back, or it was disposed of. */
  #end: { readonly reason: unknown } | null = null;
  #lostGpuAtMs = -Infinity;
  #deathsInARow = 0;

  private constructor(
    plan: LoadPlan,
    providers: readonly Provider[],
    listener: SupervisorListener,
    session: ModelSession,
  ) {
    this.#plan = plan;
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

  /** Runs feeds that `makeFeeds` makes anew for each attempt. @throws why the model could not be brought back. */
  async run(makeFeeds: () => RunRequest["feeds"]): Promise<LivingReply> {
    const generation = await this.#readySession();
    try {
      return await this.#runOn(generation, makeFeeds);
    } catch (error) {
      if (!isLoss(error)) throw error;
    }
    return this.#runOn(await this.#readySession(), makeFeeds);
  }

  /** Ends the worker; open and later runs reject with `error`. */
  dispose(error: unknown): void {
    this.#end = { reason: error };
    this.#life.abort(error);
    this.#session.handle.terminate(error);
  }

  async #runOn({ handle }: ModelSession, makeFeeds: () => RunRequest["feeds"]): Promise<LivingReply> {
    const reply = await handle.run({ feeds: makeFeeds() });
    this.#deathsInARow = 0;
    return reply;
  }

  async #readySession(): Promise<ModelSession> {
    if (this.#recovery !== null) await this.#recovery;
    if (this.#end !== null) throw this.#end.reason;
    return this.#session;
  }

  #recover(error: FramebatchError): void {
    if (this.#end !== null) return;
    this.#deathsInARow += 1;
    this.#recovery = this.#reopen(error);
    this.#listener.onRecovering(error);
  }

  /** Never rejects: what goes wrong is kept for those who wait. */
  async #reopen(loss: FramebatchError): Promise<void> {
    try {
      // Those who listen hear of the loss before its outcome.
      await Promise.resolve();
      if (this.#deathsInARow > MAX_DEATHS_IN_A_ROW) throw loss;
      const providers = this.#providersAfter(this.#session.model.provider);
      this.#session = await openSession(this.#plan, providers, this.#life.signal, (error) => this.#recover(error));
      this.#recovery = null;
      this.#listener.onReady();
    } catch (error) {
      this.#recovery = null;
      if (this.#end !== null) return;
      const failure = lastError(error, loss);
      this.#end = { reason: failure };
      this.#listener.onFailed(failure);
    }
  }

  #providersAfter(lost: Provider): readonly Provider[] {
    const now = performance.now();
    const isTrusted = lost !== "webgpu" || now - this.#lostGpuAtMs > GPU_TRUST_MS;
    if (lost === "webgpu") this.#lostGpuAtMs = now;
    const left = this.#providers.slice(this.#providers.indexOf(lost));
    const withoutGpu = left.filter((provider) => provider !== "webgpu");
    return isTrusted || withoutGpu.length === 0 ? left : withoutGpu;
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof FramebatchError && (error.code === "WORKER_CRASHED" || error.code === "DEVICE_LOST");
}

function lastError(error: unknown, loss: FramebatchError): FramebatchError {
  if (error === loss) return loss;
  const reason = error instanceof Error ? error.message : String(error);
  return new FramebatchError(loss.code, `${loss.message}; it could not be loaded again: ${reason}`, { cause: error });
}
