import type { Page } from "../browser/page.js";
import { FRAME_MS } from "../browser/frames.js";
import type { Entry } from "../logs/ledger.js";
import type { Play, Life } from "../play/play.js";
import type { PlainOptions } from "../scenario/scenario.js";
import type { Scene } from "../play/stagehand.js";
import type { Violation } from "../logs/violation.js";

/** Time that messages, timers and tasks of the world take at most between two steps of ours, in milliseconds. */
const SLACK_MS = 20;

/**
 * While an engine is free and healthy, and neither begins nor ends a run, no request waits longer than its release rule allows: `max(frame, maxQueueDelayMs)`, and,
 * if a run is in progress on one of two slots, twice the time that it may be expected to take, for which a scheduler may plan.
 */
export class ProgressCheck {
  readonly violations: Violation[] = [];
  readonly #play: Play;
  readonly #scene: Scene;
  readonly #since = new Map<number, number>();
  /** Pages that were frozen, or busy during a run of a function, which take that for the time of a run. */
  readonly #stopped = new Set<Page>();
  /** Number of runs that had begun or ended when the wait began. */
  readonly #events = new Map<number, number>();

  constructor(play: Play, scene: Scene) {
    this.#play = play;
    this.#scene = scene;
  }

  /** Looks after each task. */
  look(): void {
    const { nowMs } = this.#scene.world;
    for (const life of this.#play.lives) {
      const isLate = life.isFunction && life.runs.running > 0 && life.page.busyUntilMs > nowMs;
      if (life.page.isFrozen || isLate) this.#stopped.add(life.page);
      const waiting = this.#waiting(life);
      const events = life.isFunction ? life.runs.events : this.#scene.origin.fates.runs;
      const isMoving = this.#events.get(life.index) !== events;
      this.#events.set(life.index, events);
      if (waiting === null || isMoving) this.#since.delete(life.index);
      else this.#measure(life, waiting, nowMs);
    }
  }

  /** Calls that wait may have left, and the one that waits now may have come since then. */
  #measure(life: Life, waiting: Entry, nowMs: number): void {
    const { call, askedAtMs } = waiting;
    const since = this.#since.get(life.index) ?? nowMs;
    this.#since.set(life.index, since);
    const boundMs = boundOf(life) + SLACK_MS;
    if (nowMs - Math.max(since, askedAtMs) <= boundMs || nowMs - this.#roomAtMs(life, waiting) <= boundMs) return;
    this.#since.set(life.index, Infinity);
    if (since === Infinity) return;
    this.violations.push({
      rule: "progress",
      what: `call ${call} waits for more than ${boundMs.toFixed(1)} ms while the engine is free, since ${since.toFixed(1)}`,
    });
  }

  /** Returns when a list or a stream may have got room in the queue: when another call has left. */
  #roomAtMs({ index, options }: Life, { kind }: Entry): number {
    if (kind === "predict" || !("maxQueueSize" in options)) return -Infinity;
    const all = [...this.#play.ledger.entries.values()].filter(({ subject }) => subject === index);
    return Math.max(...all.map(({ settledAtMs }) => settledAtMs ?? -Infinity));
  }

  /** Returns the call that waits while a slot is free; `null` if none does. */
  #waiting(life: Life): Entry | null {
    const { page, callable, runs, index, kind } = life;
    if (kind !== "model" && kind !== "function") return null;
    if (callable === null || page.isEnded || this.#stopped.has(page) || life.disposedAtMs !== null) return null;
    // Timers of a hidden page are slow: only a function that is idle needs none.
    if (page.isHidden && (!life.isFunction || runs.running > 0)) return null;
    if (page.busyUntilMs > this.#scene.world.nowMs) return null;
    const open = [...(this.#play.ledger.open.get(index) ?? [])];
    const isReady = life.isFunction ? runs.running < 2 : this.#isModelFree(life);
    if (!isReady) return null;
    const found = open.find(
      ({ items, abortedAtMs }) => abortedAtMs === null && items.some(({ id }) => !runs.begun.has(id)),
    );
    return found ?? null;
  }

  /** Judges only a model whose workers are known: it has one of its own, and is the only model of its page. */
  #isModelFree({ callable, page, options }: Life): boolean {
    if (callable?.state !== "ready" || "instances" in options || "shared" in options) return false;
    // A batch waits a few runs for a worker that was about to tell how fast another way to run is, and has ended.
    if (!("executionProviders" in options) && this.#scene.origin.fates.fatal > 0) return false;
    if (this.#play.lives.some((other) => other.callable !== callable && other.page === page && !other.isFunction))
      return false;
    const { fates, threads } = this.#scene.origin;
    if (fates.running > 0) return false;
    const workers = threads.runningWorkers.filter(({ name }) => name.startsWith(page.name));
    return workers.length > 0 && workers.every(({ busyUntilMs, hasStarted }) => hasStarted && busyUntilMs < Infinity);
  }
}

function boundOf({ options, runs, spread }: Life): number {
  const delayMs = delayOf(options);
  const runMs = runs.running > 0 ? 2 * spread * runs.expectedMs : 0;
  return Math.max(FRAME_MS, delayMs) + runMs;
}

function delayOf({ maxQueueDelayMs }: PlainOptions): number {
  return typeof maxQueueDelayMs === "number" ? maxQueueDelayMs : 0;
}
