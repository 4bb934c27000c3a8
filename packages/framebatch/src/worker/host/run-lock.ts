import { after, type Timer } from "@framebatch/host/host-timer.js";

/**
 * Time without requests after which the worker is idle, in milliseconds: a request in the next run is then unlikely.
 */
const QUIET_MS = 100;

/** Turns of the microtask queue within which the reply to a run leaves for the page. It takes about ten. */
const REPLY_TURNS = 32;

/** Time after a run in which its reply may not have left yet, in milliseconds. */
const REPLY_MS = 0.1;

/**
 * Runs one call into ONNX Runtime at a time: two at once on WebGPU block the worker forever. The next run begins when
 * the reply to the one before has left, because on WASM it blocks the thread. Background work waits until no request is
 * pending, and holds the lock for one run at a time, so a request waits for at most one background run.
 */
export class RunLock {
  readonly #timer: Timer;
  /**
   * Never rejects, so a task that fails does not affect the next one. Has no value, because it would keep the outputs
   * of the last batch in memory.
   */
  #tail: Promise<void>;
  /** Number of tasks that run or wait, what opens the lock among them. */
  #queued = 1;
  #endedAtMs = -Infinity;
  #pending = 0;
  #quietSinceMs = -Infinity;
  /** Resumes the background work that waits for the pending requests to end. */
  #wake: (() => void) | null = null;
  /** Never rejects. One background task at a time waits for the worker to be idle. */
  #background: Promise<unknown> = Promise.resolve();

  /** @param open nothing runs before it has resolved. Never rejects. */
  constructor(timer: Timer, open: Promise<unknown> = Promise.resolve()) {
    this.#timer = timer;
    this.#tail = open.then(this.#ended);
  }

  /** Runs a task that a caller waits for, when all earlier tasks have settled. Settles as the task does. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    try {
      return await this.#queue(task);
    } finally {
      this.#pending -= 1;
      this.#quietSinceMs = this.#timer.now();
      if (this.#pending === 0) this.#wake?.();
    }
  }

  /** Runs a background task when the worker is idle, and all earlier ones have settled. */
  runWhenIdle<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#background.then(() => this.#whenIdle(task));
    this.#background = result.catch(() => undefined);
    return result;
  }

  async #whenIdle<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      const waitMs = this.#quietSinceMs + QUIET_MS - this.#timer.now();
      if (this.#pending > 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (waitMs > 0) await new Promise<void>((resolve) => after(waitMs, resolve, this.#timer));
      else return this.#queue(task);
    }
  }

  /** Whether no other request waits behind the task that runs. */
  get isLast(): boolean {
    return this.#pending <= 1;
  }

  #queue<T>(task: () => Promise<T>): Promise<T> {
    const isFree = this.#queued === 0 && this.#timer.now() - this.#endedAtMs >= REPLY_MS;
    this.#queued += 1;
    const result = isFree ? startNow(task) : this.#tail.then(replyLeft).then(task);
    this.#tail = result.then(this.#ended, this.#ended);
    return result;
  }

  readonly #ended = (): void => {
    this.#queued -= 1;
    this.#endedAtMs = this.#timer.now();
  };
}

/** Starts a task at once. If it throws, the promise rejects. */
async function startNow<T>(task: () => Promise<T>): Promise<T> {
  return task();
}

async function replyLeft(): Promise<void> {
  for (let turn = 0; turn < REPLY_TURNS; turn += 1) await Promise.resolve();
}
