import { connect, type LoadSharedMemory, type Transport, type WorkerCalls } from "../../transport/transport.js";
import { decodeError } from "@framebatch/batcher/errors/error-data.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { shownAddress } from "@framebatch/batcher/errors/shown-address.js";
import type {
  ItemNotice,
  Learned,
  LoadReply,
  LoadRequest,
  RunAnswer,
  RunReply,
  RunRequest,
  WorkerNotice,
} from "../../transport/protocol.js";
import { after, type Timer } from "@framebatch/host/host-timer.js";
import { untilActivated } from "@framebatch/host/page.js";
import { type OpenRun, type PendingRun, PendingRuns, type RunResult, UNNUMBERED } from "./pending-runs.js";
import { Watchdog } from "@framebatch/host/watchdog.js";
import { asCrash, crash, hung, neverLoaded, neverStarted } from "./crash-history.js";
import { whenReleased, WorkerLife, type WorkerListener } from "./worker-life.js";
import { COMPILE_GRACE_MS, type Lend, OpenCalls } from "./open-calls.js";
import { explainLoadError, loadError, notStarted, wrongScript, startWorker, type WorkerSite } from "./worker-site.js";

/** `VERSION`. An import of it here would make it a file of its own, which every page would load. */
declare const FRAMEBATCH_VERSION: string;

/** Time after which a worker that has sent nothing is looked into, in milliseconds. */
const SILENT_MS = 3000;

/**
 * A worker and the calls in flight to it. Comlink leaves calls pending forever when a worker dies or never starts, so
 * each call also rejects when the worker ends. Ending the worker is the only way to free its memory.
 */
export class WorkerClient {
  readonly #site: WorkerSite;
  readonly #transport: Transport;
  readonly #listener: WorkerListener;
  readonly #calls = new OpenCalls();
  /**
   * The calls whose answers return what only the worker has: rows and items that have moved there, and the database. A
   * worker that fails can usually still answer, for example after it has lost its device. So its termination waits for
   * these, and they are lost only with a worker that no longer answers.
   */
  readonly #loans = new OpenCalls();
  readonly #runs: PendingRuns;
  readonly #timer: Timer;
  readonly #startTimeoutMs: number;
  readonly #life = new WorkerLife();
  #ignoreLock: () => void = () => undefined;
  #resolveShutDown: () => void = () => undefined;
  #resolveGone: () => void = () => undefined;
  /**
   * Resolves when the worker is terminated, which is later than its end if it still has to return or to finish
   * something.
   */
  readonly gone = new Promise<void>((resolve) => (this.#resolveGone = resolve));
  #memoryBytes = 0;
  /**
   * Resolves when the death of the worker is told; `null` unless it is certain. Nothing may be sent meanwhile: it would
   * be lost, and a run be blamed for an end before its time.
   */
  ending: Promise<void> | null = null;
  /** Whether the run of `isChecking` compares the provider with WASM, and says nothing about batches. */
  isComparing = false;

  /**
   * Starts the worker.
   * @param startTimeoutMs maximum time of each step of the start (script, ONNX Runtime, first runs), in milliseconds
   * @param timer for hang detection; must stay on time in a hidden tab
   * @param loadMemory see `connect`
   * @throws WORKER_LOAD_FAILED when the browser rejects the address
   */
  constructor(
    site: WorkerSite,
    startTimeoutMs: number,
    timer: Timer,
    listener: WorkerListener,
    loadMemory?: LoadSharedMemory,
  ) {
    this.#site = site;
    this.#startTimeoutMs = startTimeoutMs;
    this.#listener = listener;
    this.#timer = timer;
    const worker = startWorker(site);
    this.#runs = new PendingRuns(timer, (timeoutMs, culprit) => this.#die(hung(timeoutMs), culprit), worker.isShared);
    const heard = {
      onAnswer: (answer: RunAnswer) => this.#onAnswer(answer),
      onNotice: (notice: WorkerNotice) => this.#onNotice(notice),
      onError: (message: string | null) => this.#onError(message),
      onUnreadable: () => this.#die(crash("a message that cannot be read")),
    };
    this.#transport = connect(worker, heard, loadMemory);
  }

  get hasEnded(): boolean {
    return this.#life.current.name === "ended";
  }

  /** Size of the worker's WebAssembly memory, in bytes; 0 once the worker has ended. */
  get memoryBytes(): number {
    return this.hasEnded ? 0 : this.#memoryBytes;
  }

  /** The run that the worker was executing when it died; `null` if there was none, or if the owner ended the worker. */
  get interrupted(): PendingRun | null {
    return this.#life.interrupted;
  }

  /** Whether the worker has executed runs of other pages. */
  get servesOthers(): boolean {
    return this.#runs.servesOthers;
  }

  /** Whether the worker executes a run of its check of batches, or did so when it died. */
  get isChecking(): boolean {
    return this.#runs.isChecking;
  }

  /**
   * Resolves when the worker's script has run. On a page that is prerendered, the time for it begins when the page is
   * activated.
   * @throws WORKER_LOAD_FAILED when the script cannot be loaded, throws, or does not answer within the start timeout;
   * otherwise what ended the worker
   */
  async ready(): Promise<void> {
    const activated = untilActivated();
    if (activated !== null) await this.#calls.add(activated);
    const stall = this.#watchdog(this.#startTimeoutMs, (ms) => notStarted(this.#site, ms));
    const ready = new Promise<void>((resolve) => this.#life.starting(stall, resolve));
    const cancel = after(SILENT_MS, () => void this.#explainSilence(), this.#timer);
    await this.#calls.add(ready).finally(cancel);
    this.#life.started();
  }

  async #explainSilence(): Promise<void> {
    // It may be told by code that loads on demand, and cannot be loaded.
    const failure = await this.#site.whyNoAnswer?.().catch(() => null);
    if (failure && this.#life.current.name === "starting") this.#die(loadError(this.#site, failure));
  }

  /**
   * Loads the model.
   * @throws what ended the worker; other failures are in the reply
   */
  async load(request: LoadRequest): Promise<LoadReply> {
    this.#life.throwIfEnded();
    const why = request.served === "engine" ? neverLoaded : neverStarted;
    // A download may be silent for `stallTimeoutMs`, which the worker enforces itself.
    this.#life.loading(this.#watchdog(this.#startTimeoutMs + request.stallTimeoutMs, why), request);
    return this.#calls.add(this.#transport.calls.load(request, [])).finally(() => this.#life.loaded());
  }

  /** Whether it has what only it has, such as rows that have moved there. */
  get hasBorrowed(): boolean {
    return this.#loans.areOpen;
  }

  /**
   * Runs a batch.
   * @param transfer what moves to the worker with the request
   * @param lend called with the reply if rows move there that nothing else has. The worker is not ended before it has
   * replied, if it still works.
   * @throws what ended the worker
   */
  run(request: RunRequest, transfer: Transferable[], run: PendingRun, lend?: Lend<RunReply>): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      if (this.#life.current.name === "ended") throw this.#life.current.reason;
      const number = this.#transport.run({ ...request, timeoutMs: run.timeoutMs }, transfer);
      // The message may have read an item of the user, whose code may have ended the worker.
      if ("items" in request) this.#life.throwIfEnded();
      const returned = lend ? this.#loans.lent(lend, (reply) => this.#settle(open, reply), reject) : null;
      const firstItem = "items" in request ? request.items[0]!.id : null;
      const open: OpenRun = { run, firstItem, number, resolve, reject, returned };
      this.#runs.opened(open);
    });
  }

  #onAnswer({ ran, reply }: RunAnswer): void {
    const open = this.#runs.answered(ran, reply.ok);
    if (open === null) return;
    if (open.returned !== null) open.returned(reply);
    else if (reply.ok) open.resolve({ ok: true, reply });
    else this.#settle(open, reply);
  }

  /**
   * Settles a run. A fatal reply ends the worker, and rejects the run, which may repeat; so does one of a worker that
   * has ended.
   */
  #settle(open: OpenRun, reply: RunReply): void {
    const { current } = this.#life;
    if (reply.ok) open.resolve({ ok: true, reply });
    else if (current.name === "ended") open.reject(current.reason);
    else if (reply.fatal) this.#die(asCrash(decodeError(reply.error)));
    else open.resolve({ ok: false, error: decodeError(reply.error), isPartial: reply.isPartial === true });
    this.#runs.closed(open);
  }

  #reject(reason: unknown): void {
    this.#calls.reject(reason);
    this.#runs.reject(reason);
  }

  /**
   * Takes items for handlers back, see `WorkerApi`. A worker that the owner ends meanwhile stays until they are
   * returned.
   * @throws what ended the worker
   */
  async recall(ids: readonly number[]): ReturnType<WorkerCalls["recall"]> {
    this.#life.throwIfEnded();
    const open = this.#runs.opened({ ...UNNUMBERED, run: { timeoutMs: this.#startTimeoutMs, isDivided: false } });
    try {
      return await this.#loans.add(this.#transport.calls.recall(ids));
    } finally {
      this.#runs.closed(open);
    }
  }

  /**
   * Gives the worker an item or takes one back, see `DeliveryNotice`, ends a sequence, or releases tensors. Does
   * nothing after the worker has ended.
   * @throws a DataCloneError when structured cloning cannot copy the item
   */
  notify(notice: ItemNotice, transfer: Transferable[] = []): void {
    if (!this.hasEnded) this.#transport.notify(notice, transfer);
  }

  /** Resolves when no run is in flight, or the worker has ended. */
  idle(): Promise<void> {
    return this.hasEnded ? Promise.resolve() : this.#runs.idle();
  }

  /** Sends what the page has learned to the worker, which stores it. Does not wait, and ignores failures. */
  learn(learned: Learned): void {
    if (!this.hasEnded) void this.#calls.add(this.#transport.calls.learn(learned)).catch(() => undefined);
  }

  /** Ends the worker. Open and later calls reject with `reason`. Shortens the time that `retire` gives. */
  terminate(reason: unknown): void {
    this.#end(reason);
    this.#loans.drain(() => undefined, reason);
    this.#reject(reason);
  }

  /**
   * Ends a worker that works. Later calls reject with `reason`. Open ones do so when the worker has returned what it
   * has borrowed: it gives no item back that it has answered, so that answer must count, although it arrives only now.
   * @param graceMs time in which the worker may return it, in milliseconds; default: see `OpenCalls`
   */
  retire(reason: unknown, graceMs?: number): void {
    this.#end(reason, null, graceMs);
  }

  #end(reason: unknown, interrupted: PendingRun | null = null, graceMs?: number): void {
    if (this.hasEnded) return;
    // The database, an engine or a compilation may have to end first. A group sees to that itself when one of its
    // models leaves.
    const mustShutDown = "request" in this.#life.current && !this.#site.isGroup;
    this.#life.end(reason, interrupted);
    this.#runs.stop();
    if (mustShutDown) this.#requestShutDown();
    const terminate = () => {
      this.#ignoreLock();
      this.#transport.terminate();
      this.#reject(reason);
      this.#resolveGone();
    };
    this.#loans.drain(terminate, reason, graceMs);
  }

  /** The worker is certain to be gone, and with it what it has borrowed. */
  #lose(error: FramebatchError): void {
    this.#loans.reject(error);
    this.#die(error);
  }

  /** @param culprit the run that has ended the worker; default: the one that it executes */
  #die(error: FramebatchError, culprit?: PendingRun | null): void {
    if (this.hasEnded) return;
    // Shared memory and messages overtake each other. A run that was answered has not ended the worker.
    this.#transport.collect();
    const interrupted = culprit === undefined ? this.#runs.current : culprit;
    this.#transport.abandon(this.#runs.isMerging);
    this.#end(error, interrupted);
    this.#reject(error);
    this.#listener.onDeath(error);
  }

  #onNotice(notice: WorkerNotice): void {
    if (notice.notice === "shutDown") this.#resolveShutDown();
    if (notice.notice === "compiling") this.#loans.prolong(COMPILE_GRACE_MS);
    if (this.hasEnded) return;
    this.#life.heard();
    switch (notice.notice) {
      case "ready":
        if (notice.version === FRAMEBATCH_VERSION) return this.#life.ready();
        return this.#die(wrongScript(this.#site, `framebatch ${notice.version}, not ${FRAMEBATCH_VERSION}`));
      case "alive":
        this.#ignoreLock = whenReleased(notice.lock, this.#timer, {
          onRelease: () => {
            this.ending = this.#calls.end;
          },
          onEnd: () => this.#lose(crash("it ended without a word")),
        });
        return;
      case "progress":
        if (notice.provider !== null) this.#life.heard(this.#startTimeoutMs);
        return this.#listener.onProgress(notice);
      case "obtained":
        return this.#listener.onObtained(notice.files, notice.provider ?? null);
      case "stored":
        return this.#listener.onStored(notice.provider ?? null);
      case "timed":
        return this.#listener.onTimed(notice.run);
      case "memory":
        this.#memoryBytes = notice.bytes;
        return;
      case "checking":
        this.isComparing = notice.isComparison === true && notice.rows > 0;
        return this.#runs.checking(notice.rows);
      case "executing":
        return this.#runs.executing(notice.item);
      case "turn":
        return this.#runs.turn(notice.turn);
      case "checked":
        return this.#listener.onChecked(notice.check);
      case "compared":
        return this.#listener.onCompared(notice.check);
      case "warning":
        return this.#listener.onWarning(decodeError(notice.error));
      case "lost":
        return this.#die(asCrash(decodeError(notice.error)));
      default:
    }
  }

  /**
   * Asks the worker to end its engine, and to finish its work on the database. Counts as a loan, so that termination
   * waits for it.
   */
  #requestShutDown(): void {
    this.#loans.add(new Promise<void>((resolve) => (this.#resolveShutDown = resolve))).catch(() => undefined);
    this.#transport.notify({ shutDown: true });
  }

  /** @param message `null` if the script cannot be loaded */
  #onError(message: string | null): void {
    if (this.#life.current.name !== "starting")
      this.#die(crash(message === null ? "an error without a message" : shownAddress(message)));
    else if (message !== null) this.#die(wrongScript(this.#site, message));
    else void explainLoadError(this.#site).then((error) => this.#die(error));
  }

  /**
   * Ends the worker if it sends nothing for `timeoutMs` milliseconds.
   * @param why returns the error that it then ends with
   */
  #watchdog(timeoutMs: number, why: (ms: number) => FramebatchError): Watchdog {
    return new Watchdog(this.#timer, timeoutMs, (ms) => this.#die(why(ms)));
  }
}
