import { wrap, transfer, type Remote } from "comlink";
import { decodeError, FramebatchError } from "../core/errors.js";
import {
  isWorkerNotice,
  type LoadReply,
  type LoadRequest,
  type ProgressNotice,
  type RunReply,
  type RunRequest,
  type WorkerApi,
  type WorkerNotice,
} from "../core/protocol.js";
import { transferList } from "../core/transfer-list.js";
import { StallTimer } from "./stall-timer.js";
import { workerLoadError, type WorkerEndpoint, type WorkerSite } from "./worker-site.js";

/** The worker times the download itself and can say more of it, so it has this much longer, in milliseconds. */
const STALL_GRACE_MS = 2000;

/** What a worker's owner hears of it. */
export interface WorkerListener {
  onProgress(progress: ProgressNotice): void;
  /** Something that harms no request. */
  onWarning(error: Error): void;
  /** Once, unless the owner ended the worker. Open calls have been rejected with `error` by then. */
  onDeath(error: FramebatchError): void;
}

/** A reply that leaves the worker fit for more. */
export type LivingReply = Extract<RunReply, { readonly ok: true }> | { readonly ok: false; readonly error: Error };

/**
 * A worker and every call that is open to it. Comlink leaves calls pending for ever when a worker dies or never starts, so
 * each call also ends when the worker does. Ending the worker is the only way to free what it holds.
 */
export class WorkerHandle {
  readonly #site: WorkerSite;
  readonly #worker: WorkerEndpoint;
  readonly #listener: WorkerListener;
  /** Held from start to end: Comlink drops the calls of a proxy that is collected. */
  readonly #remote: Remote<WorkerApi>;
  readonly #run: Remote<WorkerApi>["run"];
  readonly #open = new Set<(error: unknown) => void>();
  readonly #stallTimeoutMs: number;
  #ready: (() => void) | null = null;
  #stall: StallTimer | null = null;
  #end: { readonly reason: unknown } | null = null;

  /** @throws WORKER_LOAD_FAILED where the browser refuses the address. */
  constructor(site: WorkerSite, stallTimeoutMs: number, listener: WorkerListener) {
    this.#site = site;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#listener = listener;
    this.#worker = startWorker(site);
    this.#remote = wrap<WorkerApi>(this.#worker);
    this.#run = this.#remote.run;
    this.#worker.addEventListener("message", this.#hear);
    this.#worker.addEventListener("error", this.#hearError);
    this.#worker.addEventListener("messageerror", this.#hearMessageError);
  }

  /** Resolves once the worker's script has run. @throws WORKER_LOAD_FAILED */
  ready(): Promise<void> {
    return this.#watched(this.#untilEnd(new Promise<void>((resolve) => (this.#ready = resolve))), () =>
      workerLoadError(this.#site, `no answer for ${this.#stallTimeoutMs} ms (stallTimeoutMs)`),
    );
  }

  /** Bytes in the request are transferred. @throws what ended the worker; other failures are in the reply. */
  load(request: LoadRequest): Promise<LoadReply> {
    const { location } = request;
    const sent = "bytes" in location ? transfer(request, [location.bytes]) : request;
    return this.#watched(this.#untilEnd<LoadReply>(this.#remote.load(sent)), () => stalledError(this.#stallTimeoutMs));
  }

  /** The feeds are transferred. @throws what ended the worker. */
  async run(request: RunRequest): Promise<LivingReply> {
    const sent = transfer(request, transferList(request.feeds));
    const reply = await this.#untilEnd<RunReply>(this.#run(sent));
    if (reply.ok) return reply;
    const error = decodeError(reply.error);
    if (!reply.fatal) return { ok: false, error };
    const death = asDeath(error);
    this.#die(death);
    throw death;
  }

  /** Ends the worker. Open and later calls reject with `reason`. */
  terminate(reason: unknown): void {
    if (this.#end !== null) return;
    this.#end = { reason };
    this.#stall?.stop();
    this.#worker.removeEventListener("message", this.#hear);
    this.#worker.removeEventListener("error", this.#hearError);
    this.#worker.removeEventListener("messageerror", this.#hearMessageError);
    this.#worker.terminate();
    for (const reject of this.#open) reject(reason);
    this.#open.clear();
  }

  #die(error: FramebatchError): void {
    if (this.#end !== null) return;
    this.terminate(error);
    this.#listener.onDeath(error);
  }

  readonly #hear = (event: Event): void => {
    const data: unknown = "data" in event ? event.data : null;
    if (!isWorkerNotice(data)) return;
    this.#stall?.restart();
    this.#heed(data);
  };

  #heed(notice: WorkerNotice): void {
    switch (notice.notice) {
      case "ready":
        return this.#ready?.();
      case "progress":
        return this.#listener.onProgress(notice);
      case "warning":
        return this.#listener.onWarning(decodeError(notice.error));
      case "lost":
        return this.#die(asDeath(decodeError(notice.error)));
    }
  }

  /** A script that cannot be loaded gives a bare event; one that throws tells what. */
  readonly #hearError = (event: Event): void => {
    event.preventDefault();
    const message = "message" in event && event.message !== "" ? String(event.message) : null;
    if (this.#ready === null) this.#die(crash(message ?? "an error without a message"));
    else this.#die(workerLoadError(this.#site, message ?? "nothing that can be run"));
  };

  readonly #hearMessageError = (): void => this.#die(crash("a message that cannot be read"));

  /** A call that also ends when the worker does. */
  #untilEnd<T>(call: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#end !== null) return reject(this.#end.reason);
      this.#open.add(reject);
      const close = () => this.#open.delete(reject);
      void call.then(resolve, reject).then(close);
    });
  }

  async #watched<T>(call: Promise<T>, stalled: () => FramebatchError): Promise<T> {
    this.#stall = new StallTimer(this.#stallTimeoutMs + STALL_GRACE_MS, () => this.#die(stalled()));
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

function crash(what: string, cause?: unknown): FramebatchError {
  return new FramebatchError("WORKER_CRASHED", `the worker stopped working: ${what}`, { cause });
}

function asDeath(error: Error): FramebatchError {
  return error instanceof FramebatchError ? error : crash(error.message, error);
}

function stalledError(timeoutMs: number): FramebatchError {
  return new FramebatchError(
    "RUNTIME_LOAD_FAILED",
    `expected progress while the model is loaded, got none for ${timeoutMs} ms; raise stallTimeoutMs for a slow network or a large model`,
    { details: { stallTimeoutMs: timeoutMs } },
  );
}
