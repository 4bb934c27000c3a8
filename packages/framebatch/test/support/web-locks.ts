interface LockRequest {
  readonly name: string;
  readonly callback: (lock: object | null) => unknown;
  readonly settle: { readonly resolve: (value: unknown) => void; readonly reject: (reason: unknown) => void };
}

interface LockOptions {
  readonly ifAvailable?: boolean;
  readonly steal?: boolean;
  readonly signal?: AbortSignal;
}

/** The Web Locks of one origin, which Node does not have: exclusive ones only. */
export class WebLocks {
  readonly #held = new Map<string, LockRequest>();
  #waiting: LockRequest[] = [];

  request(name: string, ...rest: [LockRequest["callback"]] | [LockOptions, LockRequest["callback"]]): Promise<unknown> {
    const [options, callback] = rest.length === 1 ? [{}, rest[0]] : rest;
    return new Promise((resolve, reject) => {
      const request = { name, callback, settle: { resolve, reject } };
      options.signal?.addEventListener("abort", () => this.#withdraw(request, options.signal?.reason));
      if (options.signal?.aborted) return reject(options.signal.reason);
      if (options.ifAvailable && this.#held.has(name)) return resolve(callback(null));
      if (options.steal) return this.#steal(request);
      this.#waiting.push(request);
      this.#grant(name);
    });
  }

  async query(): Promise<{ readonly held: readonly { readonly name: string }[] }> {
    return { held: Array.from(this.#held.keys(), (name) => ({ name })) };
  }

  /** Releases a lock whose holder has ended, if it is held. */
  drop(name: string): void {
    this.#held.delete(name);
    this.#grant(name);
  }

  #steal(request: LockRequest): void {
    this.#held.get(request.name)?.settle.reject(new DOMException("stolen", "AbortError"));
    this.#hold(request);
  }

  #grant(name: string): void {
    const next = this.#waiting.find((request) => request.name === name);
    if (next === undefined || this.#held.has(name)) return;
    this.#waiting = this.#waiting.filter((request) => request !== next);
    this.#hold(next);
  }

  #hold(request: LockRequest): void {
    const { name, callback, settle } = request;
    this.#held.set(name, request);
    const release = () => {
      if (this.#held.get(name) === request) this.drop(name);
    };
    const use = async () => {
      // A lock is granted later, never inside the request.
      await Promise.resolve();
      return callback({ name });
    };
    void use().then(settle.resolve, settle.reject).then(release);
  }

  #withdraw(request: LockRequest, reason: unknown): void {
    const isWaiting = this.#waiting.includes(request);
    this.#waiting = this.#waiting.filter((other) => other !== request);
    if (isWaiting) request.settle.reject(reason);
  }
}
