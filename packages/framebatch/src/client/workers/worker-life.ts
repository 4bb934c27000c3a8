import type { Watchdog } from "@framebatch/host/watchdog.js";
import type { BatchCheck, LoadRequest, ObtainedFile, ProgressNotice, TimedRun } from "../../transport/protocol.js";
import type { PendingRun } from "./pending-runs.js";
import { after, type Timer } from "@framebatch/host/host-timer.js";
import { isLockHeld, lockReleased } from "@framebatch/host/page.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ProviderCheck, ExecutionProvider } from "../../transport/providers.js";

/** Receives the events of one worker. */
export interface WorkerListener {
  onProgress(progress: ProgressNotice): void;
  /** The worker has obtained the files of the model. Called before the first provider is tried. */
  onObtained(files: readonly ObtainedFile[], provider: ExecutionProvider | null): void;
  /** The cache holds these files, or will not hold them. */
  onStored(provider: ExecutionProvider | null): void;
  /** A background run of the warm-up, after the model is ready, has been timed. */
  onTimed(run: TimedRun): void;
  /** A check that was pending when the model became ready has completed. */
  onChecked(check: BatchCheck): void;
  /** The comparison of the provider's answers with those of WASM has come to a new outcome. */
  onCompared(check: ProviderCheck): void;
  /** A failure that affects no request. */
  onWarning(error: Error): void;
  /** The worker has died. Called once, after open calls were rejected with `error`; never if the owner ended it. */
  onDeath(error: FramebatchError): void;
}

/** What a worker does, as its page knows it. */
type WorkerState =
  | { readonly name: "new" }
  /** Its script loads. `ready` is called when the script has run. */
  | { readonly name: "starting"; readonly stall: Watchdog; readonly ready: () => void }
  | { readonly name: "started" }
  | { readonly name: "loading"; readonly stall: Watchdog; readonly request: LoadRequest }
  | { readonly name: "loaded"; readonly request: LoadRequest }
  /** `interrupted`: the run that it executed when it died; `null` if there was none, or if its owner ended it. */
  | { readonly name: "ended"; readonly reason: unknown; readonly interrupted: PendingRun | null };

/**
 * The life of a worker: its states and the transitions between them. docs/architecture.md draws it. `ended` is final.
 */
export class WorkerLife {
  /** The state of now. Only the transitions below set it. */
  current: WorkerState = { name: "new" };

  /** See `WorkerState`. */
  get interrupted(): PendingRun | null {
    return this.current.name === "ended" ? this.current.interrupted : null;
  }

  /** `new` → `starting`. @param stall ends the worker if it says nothing */
  starting(stall: Watchdog, ready: () => void): void {
    this.#enter({ name: "starting", stall, ready });
  }

  /** The script has run. */
  ready(): void {
    if (this.current.name === "starting") this.current.ready();
  }

  /** `starting` → `started`. */
  started(): void {
    this.#enter({ name: "started" });
  }

  /** `started` → `loading`. @param stall ends the worker if it says nothing */
  loading(stall: Watchdog, request: LoadRequest): void {
    this.#enter({ name: "loading", stall, request });
  }

  /** `loading` → `loaded`, also with a failed load: the caller then ends the worker. */
  loaded(): void {
    if (this.current.name === "loading") this.#enter({ name: "loaded", request: this.current.request });
  }

  /** Any state → `ended`. */
  end(reason: unknown, interrupted: PendingRun | null): void {
    this.#enter({ name: "ended", reason, interrupted });
  }

  /**
   * Notes that the worker has said something.
   * @param timeoutMs how long it may be silent from now on, in milliseconds
   */
  heard(timeoutMs?: number): void {
    if ("stall" in this.current) this.current.stall.restart(timeoutMs);
  }

  /** @throws what ended the worker */
  throwIfEnded(): void {
    if (this.current.name === "ended") throw this.current.reason;
  }

  #enter(state: WorkerState): void {
    const hasEnded = this.current.name === "ended";
    const left = hasEnded ? state : this.current;
    if ("stall" in left) left.stall.stop();
    if (!hasEnded) this.current = state;
  }
}

/**
 * Time in which answers that a worker sent before its end may arrive, in milliseconds. The browser tells of the lock by
 * another way, which can be faster.
 */
const LAST_WORDS_MS = 50;

/** Hears of the end of a worker. */
interface EndListener {
  /** The worker has ended: what is sent to it now is lost. */
  readonly onRelease: () => void;
  /** Its last answers have arrived. */
  readonly onEnd: () => void;
}

/**
 * Calls back when `lock` has been released: a Web Lock that a worker holds until it ends. A worker that closes itself,
 * or that the browser ends, sends no event. Returns a function that cancels the wait. Never calls back if the lock is
 * free already: then it is not one that this page can see.
 */
export function whenReleased(lock: string, timer: Timer, { onRelease, onEnd }: EndListener): () => void {
  const care = new AbortController();
  let cancel = (): void => undefined;
  const listen = () => {
    if (care.signal.aborted) return;
    onRelease();
    cancel = after(LAST_WORDS_MS, onEnd, timer);
  };
  const wait = async () => {
    if (!(await isLockHeld(lock))) return;
    await lockReleased(lock, care.signal);
    listen();
  };
  // Rejects when the wait is cancelled, and where locks are forbidden. Without the lock, only the hang detection
  // notices the end, some seconds later.
  wait().catch(() => undefined);
  return () => {
    care.abort();
    cancel();
  };
}
