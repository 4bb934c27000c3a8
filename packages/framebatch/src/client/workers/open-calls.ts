import { OpenSet } from "../../core/open-set.js";

/** The calls to one worker that have no answer yet, which may never come. */
export class OpenCalls {
  #open = new OpenSet<(reason: unknown) => void>();
  #end: { readonly reason: unknown } | null = null;

  /** Settles as `call` does. Rejects if `reject` is called first. */
  add<T>(call: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#end !== null) return reject(this.#end.reason);
      this.#open.add(reject);
      const close = () => this.#open.delete(reject);
      void call.then(resolve, reject).then(close);
    });
  }

  /** Rejects open and later calls. Only the first call of this method has an effect. */
  reject(reason: unknown): void {
    if (this.#end !== null) return;
    this.#end = { reason };
    for (const reject of this.#open) reject(reason);
    this.#open = new OpenSet();
  }
}
