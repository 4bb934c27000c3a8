import type { MeasuredWay } from "../../transport/protocol.js";
import type { Way } from "../../core/providers.js";

/**
 * The numbers of pairs after which the trial may be won, and how many of them may be no gain: the lowest gain above them
 * is the lower end of a 95 % interval of the median (the sign test). A busy machine needs more pairs.
 */
const FEW = { pairs: 9, misses: 1 };
const MANY = { pairs: 21, misses: 5 };

/** First pairs that do not count: the other way still compiles its code for these shapes. */
const WARM_UPS = 2;

/** The other way must be this many times as fast, at the lower end of the interval. */
const MIN_GAIN = 1.05;

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
    return this.#compared();
  }

  /** Ends the trial because the other way does not work. */
  failed(reason: string): WayVerdict {
    return this.#verdict(false, reason, null);
  }

  #compared(): WayVerdict | null {
    const misses = this.#gains.filter((gain) => gain <= MIN_GAIN).length;
    if (misses > MANY.misses) return this.#verdict(false, `${this.#median.toFixed(2)} times as fast`, true);
    const stage = [FEW, MANY].find(({ pairs }) => pairs === this.#gains.length);
    if (stage === undefined || misses > stage.misses) return null;
    const lowest = this.#sorted[stage.misses] ?? 0;
    return this.#verdict(true, `${this.#median.toFixed(2)} times as fast, at least ${lowest.toFixed(2)} times`, true);
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
