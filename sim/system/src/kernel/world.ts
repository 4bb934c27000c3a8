import { createRandom, type Random } from "../../../batcher/model/random.js";
import { EventHeap, type SimEvent } from "../../../batcher/run/event-heap.js";
import type { Realm } from "./realm.js";

/** Keeps tasks in the order in which they were posted: the messages of one port, the timers of one realm. */
export interface Lane {
  atMs: number;
  order: number;
}

/** A task that has not run. */
export interface Task {
  cancel(): void;
}

/** Time between two tasks of a lane that would be due at the same time in the wrong order, in milliseconds. */
const LANE_GAP_MS = 1e-6;

/**
 * One scenario's time, randomness and tasks. A task is what an event loop runs: a message, a timer, a reply. Tasks that are
 * due at the same time run in a drawn order, except within a lane. After each task, all microtasks run.
 */
export class World {
  nowMs = 0;
  /** The realm whose task or microtasks run; `null` outside all realms. */
  current: Realm | null = null;
  /** A digest of what has happened, for comparing two runs. */
  digest = 0;
  /** Number of tasks that have run. */
  tasks = 0;
  /** Called with each task, if set. */
  log: ((line: string) => void) | null = null;
  /** Called after each task and its microtasks, if set. */
  afterTask: (() => void) | null = null;
  readonly #random: Random;
  readonly #heap = new EventHeap();

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  /** Returns a number in [0, 1). */
  draw(): number {
    return this.#random();
  }

  /** Returns an integer from 0 to `count - 1`. */
  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  /** Draws a delay in milliseconds: most are short, a few twenty times as long. */
  latency(usualMs: number): number {
    const factor = this.#random();
    return usualMs * factor * (this.#random() < 0.05 ? 20 : 1);
  }

  /** Runs a task of `realm` after `delayMs`, unless the realm has ended by then. `null`: a task of the world. */
  post(realm: Realm | null, delayMs: number, label: string, run: () => void, lane?: Lane): Task {
    const place = this.#place(this.nowMs + delayMs, lane);
    return this.#push(realm, realm?.life ?? 0, place, label, run);
  }

  /** As `post`, but `run` gets its turn a drawn number of microtask turns later, as the reply of a promise does. */
  reply(realm: Realm | null, delayMs: number, label: string, run: () => void, lane?: Lane): Task {
    const turns = this.below(4);
    return this.post(realm, delayMs, label, () => afterTurns(turns, run), lane);
  }

  /** Runs tasks until none is left, or until `untilMs`. Resolves with whether none is left. */
  run(untilMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      let [turns, isOver] = [0, false];
      const step = () => {
        if (isOver) return;
        this.afterTask?.();
        isOver = !this.#runNext(untilMs);
        if (isOver) return resolve(this.#heap.peek() === undefined);
        turns -= 1;
        if (turns <= 0) turns = takeTurns(step);
      };
      turns = takeTurns(step);
    });
  }

  /** Runs the next task; its microtasks run before the next turn. Returns `false` if there is none until `untilMs`. */
  #runNext(untilMs: number): boolean {
    for (let next = this.#heap.peek(); next !== undefined && next.atMs <= untilMs; next = this.#heap.peek()) {
      this.#heap.pop();
      if (next.callback === null) continue;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.callback();
      return true;
    }
    this.current = null;
    return false;
  }

  /** Mixes a word into the digest. */
  note(word: string): void {
    let hash = this.digest;
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
    this.digest = hash;
    this.log?.(`${this.nowMs.toFixed(3)} ${word}`);
  }

  #place(atMs: number, lane: Lane | undefined): { atMs: number; order: number } {
    const place = { atMs, order: this.#random() };
    if (lane === undefined) return place;
    if (place.atMs < lane.atMs) place.atMs = lane.atMs;
    if (place.atMs === lane.atMs && place.order <= lane.order) place.atMs += LANE_GAP_MS;
    lane.atMs = place.atMs;
    lane.order = place.order;
    return place;
  }

  #push(
    realm: Realm | null,
    life: number,
    place: { readonly atMs: number; readonly order: number },
    label: string,
    run: () => void,
  ): Task {
    const { atMs, order } = place;
    const event: SimEvent = { atMs, order, isTimer: false, callback: () => this.#enter(realm, life, label, run) };
    this.#heap.push(event);
    return { cancel: () => (event.callback = null) };
  }

  #enter(realm: Realm | null, life: number, label: string, run: () => void): void {
    if (realm === null) return this.#do(null, label, run);
    if (realm.isEnded || realm.life !== life) return;
    if (!realm.isOccupied) return this.#do(realm, label, run);
    realm.wait(() => {
      if (realm.life === life) this.#do(realm, label, run);
    });
  }

  #do(realm: Realm | null, label: string, run: () => void): void {
    this.current = realm;
    this.tasks += 1;
    this.note(`${realm?.name ?? "world"} ${label}`);
    try {
      run();
    } catch (error) {
      if (realm === null) throw error;
      realm.reportError(error);
    }
  }
}

/** Turns that are asked of Node at once: all microtasks run between two of them, and a pass of its event loop costs more than a task. */
const TURNS = 64;

/** Lets `step` run so often, each time after all microtasks. Returns how often. */
function takeTurns(step: () => void): number {
  for (let turn = 0; turn < TURNS; turn++) setImmediate(step);
  return TURNS;
}

function afterTurns(turns: number, run: () => void): void {
  let turn = Promise.resolve();
  for (let left = turns; left > 0; left--) turn = turn.then(() => undefined);
  void turn.then(run);
}
