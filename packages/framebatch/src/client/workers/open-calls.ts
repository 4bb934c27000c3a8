import { OpenSet } from "@framebatch/batcher/queue/request.js";
import { after } from "@framebatch/host/host-timer.js";

/** Time that a worker gets to return what it has borrowed, in milliseconds. */
export const GRACE_MS = 500;

/** Time that a worker gets to download and compile ONNX Runtime, in milliseconds, see `EarlyRuntime.settled`. */
export const COMPILE_GRACE_MS = 10_000;

const NOTHING = (): void => undefined;

/** Called when something was lent, with the answer that returns it. Rejects if it is lost. */
export type Lend<T> = (answer: Promise<T>) => void;

/** Calls to one worker that have no answer yet, which may never come. */
export class OpenCalls {
  #open = new OpenSet<(reason: unknown) => void>();
  #end: { readonly reason: unknown } | null = null;
  #onEmpty = NOTHING;
  /** Ends all times of `drain`. */
  #cancel = NOTHING;
  #reason: unknown = null;

  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Settles as `call` does. Rejects if `reject` is called first. */
  add<T>(call: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#end !== null) return reject(this.#end.reason);
      this.#open.add(reject);
      const close = () => {
        this.#open.delete(reject);
        if (!this.areOpen) this.#onEmpty();
      };
      void call.then(resolve, reject).then(close);
    });
  }

  /**
   * Adds a call whose answer returns what is lent to it. Returns what takes the answer.
   * @param settle called with the answer when the lender has taken back what it returns
   */
  lent<T>(lend: Lend<T>, settle: (answer: T) => void, reject: (reason: unknown) => void): (answer: T) => void {
    let returned = (_answer: T): void => undefined;
    const answer = this.add(new Promise<T>((resolve) => (returned = resolve)));
    lend(answer);
    answer.then(settle, reject);
    return returned;
  }

  /** Resolves when `reject` is called. */
  get end(): Promise<void> {
    return this.add(new Promise<never>(NOTHING)).catch(NOTHING);
  }

  /** Rejects open and later calls. Only the first call of this method has an effect. */
  reject(reason: unknown): void {
    if (this.#end !== null) return;
    this.#end = { reason };
    for (const reject of this.#open) reject(reason);
    this.#open = new OpenSet();
    this.#onEmpty();
  }

  /**
   * Calls `done` when no call is open: synchronously, if none is now. Rejects what is open after `graceMs`; of several
   * such times, the first one to end counts.
   * @param graceMs in milliseconds
   */
  drain(done: () => void, reason: unknown, graceMs = GRACE_MS): void {
    if (!this.areOpen) return done();
    this.#reason = reason;
    this.#limit(graceMs, this.#cancel);
    const earlier = this.#onEmpty;
    this.#onEmpty = () => {
      this.#onEmpty = NOTHING;
      this.#cancel();
      earlier();
      done();
    };
  }

  /** Replaces the times of earlier calls of `drain`. @param graceMs in milliseconds */
  prolong(graceMs: number): void {
    this.#cancel();
    this.#limit(graceMs, NOTHING);
  }

  #limit(graceMs: number, cancelEarlier: () => void): void {
    const cancel = after(graceMs, () => this.reject(this.#reason));
    this.#cancel = () => {
      cancel();
      cancelEarlier();
    };
  }
}
