import { connect } from "../../transport/comlink.js";
import type { Transport, WorkerEndpoint } from "../../transport/transport.js";
import type { CostModelData } from "../../core/cost/cost-model.js";
import { decodeError, type FramebatchError } from "../../core/errors.js";
import {
  type BatchCheck,
  type LoadReply,
  type LoadRequest,
  type ObtainedFile,
  type ProgressNotice,
  type RunReply,
  type RunRequest,
  type StackReply,
  type StackRequest,
  type TimedRun,
  type WorkerNotice,
} from "../../transport/protocol.js";
import { transferList } from "../../core/collate/transfer-list.js";
import type { Timer } from "../../time/host-timer.js";
import { PendingRuns, type PendingRun } from "./pending-runs.js";
import { Watchdog } from "../../time/watchdog.js";
import { asDeath, crash, hung, neverStarted } from "./crash-history.js";
import { whenReleased } from "./lifeline.js";
import { Loans } from "./loans.js";
import { workerLoadError, type WorkerSite } from "./worker-site.js";

/** What a worker's owner hears of it. */
export interface WorkerListener {
  onProgress(progress: ProgressNotice): void;
  /** What the worker loads the model from; before the first provider is tried. */
  onObtained(files: readonly ObtainedFile[]): void;
  /** A run of the warm-up that goes on once the model is ready. */
  onTimed(run: TimedRun): void;
  /** The outcome of a check that was pending when the model was ready. */
  onChecked(check: BatchCheck): void;
  /** Something that harms no request. */
  onWarning(error: Error): void;
  /** Once, unless the owner ended the worker. Open calls have been rejected with `error` by then. */
  onDeath(error: FramebatchError): void;
}

/** Stacking copies memory, and waits for nothing else. In milliseconds, as `PendingRun.timeoutMs`. */
const STACKING: PendingRun = { timeoutMs: 10_000, size: 1 };

/** A reply that leaves the worker fit for more. */
export type RunResult = Extract<RunReply, { readonly ok: true }> | { readonly ok: false; readonly error: Error };

/**
 * A worker and every call that is open to it. Comlink leaves calls pending for ever when a worker dies or never starts, so
 * each call also ends when the worker does. Ending the worker is the only way to free what it holds.
 */
export class WorkerClient {
  readonly #site: WorkerSite;
  readonly #transport: Transport;
  readonly #listener: WorkerListener;
  readonly #open = new Set<(error: unknown) => void>();
  readonly #runs: PendingRuns;
  readonly #timer: Timer;
  readonly #loans = new Loans();
  readonly #startTimeoutMs: number;
  #ready: (() => void) | null = null;
  #stall: Watchdog | null = null;
  #ignoreLock: (() => void) | null = null;
  #hasDatabase = false;
  #left: () => void = () => undefined;
  #interrupted: PendingRun | null = null;
  #end: { readonly reason: unknown } | null = null;

  /**
   * @param startTimeoutMs how long each step of its start may take: its script, ONNX Runtime, the first runs
   * @param timer for what hangs: comes on time in a hidden tab, too
   * @throws WORKER_LOAD_FAILED where the browser refuses the address.
   */
  constructor(site: WorkerSite, startTimeoutMs: number, timer: Timer, listener: WorkerListener) {
    this.#site = site;
    this.#startTimeoutMs = startTimeoutMs;
    this.#listener = listener;
    this.#timer = timer;
    this.#runs = new PendingRuns(timer, (timeoutMs) => this.#die(hung(timeoutMs)));
    this.#transport = connect(startWorker(site), {
      onNotice: (notice) => this.#onNotice(notice),
      onError: (message) => this.#onError(message),
      onUnreadable: () => this.#die(crash("a message that cannot be read")),
    });
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** The run that the worker was at when it died; `null` where it had none, or was ended by its owner. */
  get interrupted(): PendingRun | null {
    return this.#interrupted;
  }

  /** Whether the worker is at a run of its check of batches, or was when it died. */
  get isChecking(): boolean {
    return this.#runs.isChecking;
  }

  /** Resolves once the worker's script has run. @throws WORKER_LOAD_FAILED */
  ready(): Promise<void> {
    const ready = this.#untilEnd(new Promise<void>((resolve) => (this.#ready = resolve)));
    return this.#watched(ready, this.#startTimeoutMs, (ms) => workerLoadError(this.#site, `no answer for ${ms} ms`));
  }

  /** Bytes in the request are transferred. @throws what ended the worker; other failures are in the reply. */
  async load(request: LoadRequest): Promise<LoadReply> {
    if (this.#end !== null) throw this.#end.reason;
    this.#hasDatabase = request.cache;
    const locations = [request.location, ...request.externalData.map(({ location }) => location)];
    const bytes = locations.flatMap((place) => ("bytes" in place ? [place.bytes] : []));
    // A download may say nothing for as long as it may stall, which the worker itself measures.
    const timeoutMs = this.#startTimeoutMs + request.stallTimeoutMs;
    return this.#watched(this.#untilEnd(this.#transport.calls.load(request, bytes)), timeoutMs, neverStarted);
  }

  /** The feeds are transferred. @throws what ended the worker. */
  async run(request: RunRequest, run: PendingRun): Promise<RunResult> {
    if (this.#end !== null) throw this.#end.reason;
    const { feeds } = request;
    try {
      const answer = this.#transport.calls.run(request, feeds === "stacked" ? [] : transferList(feeds));
      if (this.#end === null) this.#runs.opened(run);
      return this.#living(await this.#untilEnd(answer));
    } finally {
      this.#runs.closed(run);
    }
  }

  /** @throws the error that ends the worker */
  #living(reply: RunReply): RunResult {
    if (reply.ok) return reply;
    const error = decodeError(reply.error);
    if (!reply.fatal) return { ok: false, error };
    const death = asDeath(error);
    this.#die(death);
    throw death;
  }

  /** `buffers` of the rows are lent: they are back, under new arrays, with the reply. @throws what ended the worker. */
  async stack(request: StackRequest, buffers: ArrayBuffer[]): Promise<StackReply> {
    if (this.#end !== null) throw this.#end.reason;
    this.#runs.opened(STACKING);
    try {
      return await this.#loans.lend(this.#transport.calls.stack(request, buffers));
    } finally {
      this.#runs.closed(STACKING);
    }
  }

  /** Lets the worker keep what was learned of run times. Nobody waits for it. */
  learn(costs: CostModelData): void {
    if (this.#end === null) void this.#untilEnd(this.#transport.calls.learn(costs)).catch(() => undefined);
  }

  /** Ends the worker. Open and later calls reject with `reason`. */
  terminate(reason: unknown): void {
    if (this.#end !== null) return;
    this.#end = { reason };
    this.#stall?.stop();
    this.#runs.stop();
    this.#ignoreLock?.();
    if (this.#hasDatabase) this.#askToLeave();
    this.#loans.terminateAfterReturns(() => this.#transport.terminate(), reason);
    for (const reject of this.#open) reject(reason);
    this.#open.clear();
  }

  #die(error: FramebatchError): void {
    if (this.#end !== null) return;
    this.#interrupted = this.#runs.current;
    this.terminate(error);
    this.#listener.onDeath(error);
  }

  #onNotice(notice: WorkerNotice): void {
    if (notice.notice === "left") this.#left();
    if (this.#end !== null) return;
    this.#stall?.restart();
    this.#heed(notice);
  }

  /** What it has in hand in the database is to be put down before it is ended. */
  #askToLeave(): void {
    const left = new Promise<void>((resolve) => (this.#left = resolve));
    this.#loans.lend(left).catch(() => undefined);
    this.#transport.notify({ leave: true });
  }

  #heed(notice: WorkerNotice): void {
    switch (notice.notice) {
      case "ready":
        return this.#ready?.();
      case "wake":
      case "left":
        return;
      case "alive":
        this.#ignoreLock = whenReleased(notice.lock, () => this.#die(crash("it ended without a word")));
        return;
      case "progress":
        if (notice.provider !== null) this.#stall?.restart(this.#startTimeoutMs);
        return this.#listener.onProgress(notice);
      case "obtained":
        return this.#listener.onObtained(notice.files);
      case "timed":
        return this.#listener.onTimed(notice.run);
      case "checking":
        return this.#runs.checking(notice.rows);
      case "checked":
        return this.#listener.onChecked(notice.check);
      case "warning":
        return this.#listener.onWarning(decodeError(notice.error));
      case "lost":
        return this.#die(asDeath(decodeError(notice.error)));
    }
  }

  /** @param message `null` for a script that cannot be loaded */
  #onError(message: string | null): void {
    if (this.#ready === null) this.#die(crash(message ?? "an error without a message"));
    else this.#die(workerLoadError(this.#site, message ?? "nothing that can be run"));
  }

  /** A call that also ends when the worker does. */
  #untilEnd<T>(call: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#end !== null) return reject(this.#end.reason);
      this.#open.add(reject);
      const close = () => this.#open.delete(reject);
      void call.then(resolve, reject).then(close);
    });
  }

  async #watched<T>(call: Promise<T>, timeoutMs: number, why: (ms: number) => FramebatchError): Promise<T> {
    this.#stall = new Watchdog(this.#timer, timeoutMs, (ms) => this.#die(why(ms)));
    try {
      return await call;
    } finally {
      this.#stall.stop();
      this.#stall = null;
      this.#ready = null;
    }
  }
}

function startWorker(site: WorkerSite): WorkerEndpoint {
  try {
    return site.start();
  } catch (error) {
    throw workerLoadError(site, String(error), error);
  }
}
