import type { MeasuredWay } from "../../transport/protocol.js";
import type { Way } from "../../core/providers.js";

/** Pairs that decide. The second lowest of nine ratios is the lower end of a 96 % interval of their median. */
const PAIRS = 9;
const LOWER_END = 1;

/** First pairs that do not count: the other way still compiles its code for these shapes. */
const WARM_UPS = 2;

/** The other way must be this many times as fast, at the lower end of the interval. */
const MIN_GAIN = 1.05;

/** If a run takes this many times as long as on the model's own way, the trial ends. */
export const TOO_SLOW = 4;

/**
 * The share of the time that pairs may take: requests wait for a pair, and one request in a hundred does not change the
 * 99th percentile of the others.
 */
const SHARE = 1 / 100;

/** One batch, run on both ways. Times are in milliseconds, those of ONNX Runtime alone. */
export interface Pair {
  readonly rows: number;
  readonly ownMs: number;
  readonly otherMs: number;
  /** The output in which the answers disagree; `null` if they agree. */
  readonly disagreement: string | null;
}

/** The outcome of a trial. `gain`: how many times as fast as the model's own way, the median of the pairs. */
export interface WayVerdict {
  readonly trial: MeasuredWay;
  readonly gain: number;
}

/**
 * Compares another way to run a model with its own, by batches that run on both. The other way wins if the lower end of
 * its gain exceeds 1.05 and every answer agrees.
 */
export class WayTrial {
  readonly #way: Way;
  readonly #gains: number[] = [];
  readonly #msPerItem = new Map<number, number>();
  #warmUpsLeft = WARM_UPS;
  #dueAtMs = -Infinity;

  constructor(way: Way) {
    this.#way = way;
  }

  /** Returns whether the next batch may run on both ways. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.#dueAtMs;
  }

  /** Whether the next pair does not count. */
  get isWarmingUp(): boolean {
    return this.#warmUpsLeft > 0;
  }

  /** Records a pair that took `takenMs` and ended at `nowMs`. Returns the verdict once there is one. */
  add({ rows, ownMs, otherMs, disagreement }: Pair, takenMs: number, nowMs: number): WayVerdict | null {
    this.#dueAtMs = nowMs + takenMs / SHARE;
    if (disagreement !== null) return this.#verdict(false, `its answers differ in the output "${disagreement}"`, false);
    if (this.#warmUpsLeft-- > 0) return null;
    this.#gains.push(ownMs / otherMs);
    this.#msPerItem.set(rows, otherMs / rows);
    if (otherMs > TOO_SLOW * ownMs) return this.#verdict(false, `a run takes over ${TOO_SLOW} times as long`, true);
    return this.#gains.length < PAIRS ? null : this.#compared();
  }

  /** Ends the trial because the other way does not work. */
  failed(reason: string): WayVerdict {
    return this.#verdict(false, reason, null);
  }

  #compared(): WayVerdict {
    const lowest = this.#sorted[LOWER_END] ?? 0;
    const text = `${this.#median.toFixed(2)} times as fast, at least ${lowest.toFixed(2)} times`;
    return this.#verdict(lowest > MIN_GAIN, text, true);
  }

  #verdict(chosen: boolean, reason: string, agrees: boolean | null): WayVerdict {
    const msPerItem = Object.fromEntries(this.#msPerItem);
    return { trial: { ...this.#way, chosen, reason, msPerItem, agrees }, gain: this.#median };
  }

  get #sorted(): number[] {
    return this.#gains.toSorted((a, b) => a - b);
  }

  get #median(): number {
    return this.#sorted[this.#gains.length >> 1] ?? 0;
  }
}
