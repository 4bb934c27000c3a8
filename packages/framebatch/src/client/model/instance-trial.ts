import type { CompletedBatch } from "../../core/queue/request.js";

/** What to do next: how many workers run batches, and whether the second one starts, stays or ends. */
export type InstanceStep = "start" | "use one" | "use two" | "keep" | "end";

/** The span in which one worker must be busy before a second one starts, in milliseconds. */
const WATCH_MS = 3000;

/** The worker must compute for this share of the time. Otherwise messages or the page limit the rate, not the engine. */
const BUSY_SHARE = 0.75;

/** The minimum length of a phase of the trial, in milliseconds and in batches. */
const PHASE_MS = 250;
const PHASE_BATCHES = 6;

/** The number of pairs of phases to compare, and the number after which the trial gives up. */
const PAIRS = 5;
const MAX_PAIRS = 10;

/** Two workers must answer this many times as many requests as one, because they take twice the memory. */
const MIN_GAIN = 1.2;

/**
 * Decides whether a second worker pays. It starts once one worker has computed for most of three seconds for several
 * requests at a time. Batches then run on both workers and on one in turn, so that a change of the traffic affects both
 * alike. Pairs in which the one worker is not busy do not count. The second worker stays if the median gain in answers
 * per second is at least a fifth, and ends otherwise. There is one trial.
 */
export class InstanceTrial {
  #state: "watching" | "starting" | "two" | "one" | "over" = "watching";
  #span = new Span(-Infinity);
  #lastEndMs = -Infinity;
  #rateOfTwo = 0;
  #pairs = 0;
  readonly #gains: number[] = [];

  /** Records an answered batch. Returns the next step; `null` to continue as before. */
  ran(batch: CompletedBatch): InstanceStep | null {
    if (this.#state === "watching") return this.#watch(batch);
    this.#span.add(batch);
    if (!this.#span.isPhase) return null;
    return this.#state === "two" ? this.#endTwo(batch) : this.#endOne(batch);
  }

  /** Begins the trial: the second worker is ready. */
  started(nowMs: number): "use two" {
    return this.#begin("two", nowMs);
  }

  #watch(batch: CompletedBatch): "start" | null {
    // A lone caller gains nothing by a second worker.
    const isAlone = batch.size === 1 && batch.dispatchedAtMs >= this.#lastEndMs;
    this.#lastEndMs = batch.completedAtMs;
    this.#span.add(isAlone ? { ...batch, inferenceMs: 0 } : batch);
    if (this.#span.elapsedMs < WATCH_MS) return null;
    const isBusy = this.#span.busyShare >= BUSY_SHARE;
    this.#span = new Span(isBusy ? Infinity : batch.completedAtMs);
    if (!isBusy) return null;
    this.#state = "starting";
    return "start";
  }

  #endTwo({ completedAtMs }: CompletedBatch): InstanceStep {
    this.#rateOfTwo = this.#span.ratePerMs;
    return this.#begin("one", completedAtMs);
  }

  #endOne({ completedAtMs }: CompletedBatch): InstanceStep {
    this.#pairs += 1;
    if (this.#span.busyShare >= BUSY_SHARE) this.#gains.push(this.#rateOfTwo / this.#span.ratePerMs);
    if (this.#gains.length < PAIRS && this.#pairs < MAX_PAIRS) return this.#begin("two", completedAtMs);
    this.#state = "over";
    this.#span = new Span(Infinity);
    const [median = 0] = this.#gains.toSorted((a, b) => a - b).slice(PAIRS >> 1);
    return this.#gains.length === PAIRS && median >= MIN_GAIN ? "keep" : "end";
  }

  #begin<Phase extends "one" | "two">(state: Phase, nowMs: number): `use ${Phase}` {
    this.#state = state;
    this.#span = new Span(nowMs);
    return `use ${state}`;
  }
}

/** The batches that were dispatched after an instant. The answer of the first one begins the measurement. */
class Span {
  readonly #fromMs: number;
  #firstEndMs: number | null = null;
  #lastEndMs = 0;
  #rows = 0;
  #inferenceMs = 0;
  #batches = 0;

  constructor(fromMs: number) {
    this.#fromMs = fromMs;
  }

  add({ dispatchedAtMs, completedAtMs, size, inferenceMs }: CompletedBatch): void {
    if (dispatchedAtMs < this.#fromMs) return;
    this.#lastEndMs = completedAtMs;
    if (this.#firstEndMs === null) {
      this.#firstEndMs = completedAtMs;
      return;
    }
    this.#batches += 1;
    this.#rows += size;
    this.#inferenceMs += inferenceMs;
  }

  get elapsedMs(): number {
    return this.#lastEndMs - (this.#firstEndMs ?? this.#lastEndMs);
  }

  get isPhase(): boolean {
    return this.elapsedMs >= PHASE_MS && this.#batches >= PHASE_BATCHES;
  }

  /** Answers per millisecond. */
  get ratePerMs(): number {
    return this.#rows / this.elapsedMs;
  }

  /** Share of the time that one worker computes. */
  get busyShare(): number {
    return this.#inferenceMs / this.elapsedMs;
  }
}
