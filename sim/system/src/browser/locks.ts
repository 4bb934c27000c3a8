import { realmNow, worldNow } from "../kernel/stage.js";
import type { Realm } from "../kernel/realm.js";
import type { Lane } from "../kernel/world.js";

/** Usual time until a lock is granted, in milliseconds. */
const GRANT_MS = 0.1;

interface LockRequest {
  readonly name: string;
  readonly realm: Realm;
  readonly life: number;
  readonly callback: (lock: object | null) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** What happens to a request is told in order: a lock is stolen after it was granted. */
  readonly lane: Lane;
  /** Who held the lock when it was asked for; `null` if nobody did. */
  readonly holder: Pick<LockRequest, "realm" | "life"> | null;
}

export interface LockOptions {
  readonly ifAvailable?: boolean;
  readonly steal?: boolean;
  readonly signal?: AbortSignal;
}

/** The Web Locks of an origin: exclusive ones. A realm that ends loses its locks and its requests. */
export class Locks {
  readonly #held = new Map<string, LockRequest>();
  #waiting: LockRequest[] = [];

  get heldNames(): string[] {
    return [...this.#held.keys()];
  }

  get waitingNames(): string[] {
    return this.#waiting.map(({ name }) => name);
  }

  /** Whether another thread waits for a lock of this one, and so hears of its end. */
  isWatched(holder: Realm): boolean {
    return this.#waiting.some(({ name }) => this.#held.get(name)?.realm === holder);
  }

  request(name: string, ...rest: [LockRequest["callback"]] | [LockOptions, LockRequest["callback"]]): Promise<unknown> {
    const [options, callback] = rest.length === 1 ? [{}, rest[0]] : rest;
    const realm = realmNow();
    const { life } = realm;
    return new Promise((resolve, reject) => {
      const holder = this.#held.get(name) ?? null;
      const request = { name, realm, life, callback, resolve, reject, lane: { atMs: 0, order: 0 }, holder };
      const { signal } = options;
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", () => this.#withdraw(request, signal.reason), { once: true });
      this.#tell(request, "ask for", () => this.#ask(request, options));
    });
  }

  query(): Promise<{ readonly held: readonly { readonly name: string }[] }> {
    const { world } = realmNow();
    return new Promise((resolve) => {
      const tell = () => resolve({ held: this.heldNames.map((name) => ({ name })) });
      world.reply(realmNow(), world.latency(GRANT_MS), "query of locks", tell);
    });
  }

  #ask(request: LockRequest, { ifAvailable = false, steal = false, signal }: LockOptions): void {
    if (signal?.aborted) return;
    if (steal) return this.#steal(request);
    if (!this.#held.has(request.name)) {
      if (ifAvailable) noteMissed(request);
      return this.#grant(request);
    }
    if (ifAvailable) this.#answer(request, null);
    else this.#wait(request);
  }

  #wait(request: LockRequest): void {
    this.#waiting.push(request);
    request.realm.ends.add(() => {
      this.#waiting = this.#waiting.filter((other) => other !== request);
    });
  }

  #steal(request: LockRequest): void {
    const holder = this.#held.get(request.name);
    this.#held.delete(request.name);
    if (holder !== undefined && holder.realm.life === holder.life) {
      const stolen = new DOMException("the lock was stolen", "AbortError");
      this.#tell(holder, "stolen", () => holder.reject(stolen));
    }
    this.#grant(request);
  }

  #grant(request: LockRequest): void {
    const { name, realm } = request;
    this.#held.set(name, request);
    realm.ends.add(() => this.#release(request));
    this.#tell(request, "lock", () => this.#answer(request, { name, mode: "exclusive" }));
  }

  #answer(request: LockRequest, lock: object | null): void {
    const { callback, resolve, reject } = request;
    const use = async () => callback(lock);
    void use()
      .then(resolve, reject)
      .then(() => this.#release(request));
  }

  #release(request: LockRequest): void {
    const { name } = request;
    if (this.#held.get(name) !== request) return;
    this.#held.delete(name);
    // The worker of a page that ends is gone before the page's own requests are.
    const next = this.#waiting.find((waiting) => waiting.name === name && !waiting.realm.isEnded);
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    this.#grant(next);
  }

  #withdraw(request: LockRequest, reason: unknown): void {
    const isWaiting = this.#waiting.includes(request);
    this.#waiting = this.#waiting.filter((other) => other !== request);
    if (isWaiting || !this.#isHeld(request)) this.#tell(request, "withdrawn", () => request.reject(reason));
  }

  #isHeld(request: LockRequest): boolean {
    return this.#held.get(request.name) === request;
  }

  #tell({ realm, name, lane }: LockRequest, what: string, run: () => void): void {
    const world = worldNow();
    world.reply(realm, world.latency(GRANT_MS), `${what} ${name.slice(-30)}`, run, lane);
  }
}

/** Counts a thread that has ended while another one asked whether it holds its lock: the answer tells of no end. */
function noteMissed({ realm, holder }: LockRequest): void {
  if (holder !== null && holder.realm.life !== holder.life) realm.origin.fates.silenced += 1;
}
