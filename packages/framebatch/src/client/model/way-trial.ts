import type { MeasuredWay } from "../../transport/protocol.js";
import type { Way } from "../../transport/providers.js";

/**
 * The trial may be won after six rounds if all of them are gains, and after each three more if one more is none: the
 * lowest gain above those is the lower end of a 95 % interval of the median (the sign test). A busy machine needs more.
 */
const STAGES = { first: 6, every: 3, last: 21 };

/** With more rounds than this that are no gain, no stage can be won. */
const MAX_MISSES = (STAGES.last - STAGES.first) / STAGES.every;

/** A faster way does not seem to be as slow as this, even at the start of a round in which the page takes its processors. */
const PLAINLY_SLOW_GAIN = 0.7;

/** Answers of a way with at least this gain are at most a tenth later, which no percentile shows. */
const HARMLESS_GAIN = 0.91;

/** A way that is slower in each of this many first rounds has lost: more of them would only cost the visitor time. */
const SLOW_ROUNDS = 3;

/** The other way must be this many times as fast, at the lower end of the interval. */
export const MIN_GAIN = 1.05;

/** The outcome of a trial. `gain`: how many times as fast as the model's own way, the median of the rounds. */
export interface WayVerdict {
  readonly trial: MeasuredWay;
  readonly gain: number;
}

/**
 * Compares another way to run a model with its own, in rounds. In each, the page's requests run on one way and then on
 * the other. The other way wins if the lower end of its gain exceeds 1.05. It loses at once if an answer differs.
 */
export class WayTrial {
  readonly way: Way;
  readonly #gains: number[];
  readonly #minGain: number;
  readonly #msPerItem = new Map<number, number>();

  /**
   * @param gains those of the rounds on earlier visits
   * @param minGain how many times as fast the other way must be, at the lower end of the interval
   */
  constructor(way: Way, gains: readonly number[] = [], minGain = MIN_GAIN) {
    this.way = way;
    this.#gains = [...gains];
    this.#minGain = minGain;
  }

  /** How many times as fast as the model's own way, in each round. */
  get gains(): readonly number[] {
    return this.#gains;
  }

  /** Whether no visitor feels a round, as far as the rounds tell: a single one may have met a busy machine. */
  get isHarmless(): boolean {
    return this.#median >= HARMLESS_GAIN;
  }

  /** Whether a round that begins with this gain need not go on: it is plainly slow, or as slow as the rounds before. */
  expectsLoss(gain: number): boolean {
    const wasSlow = this.#gains.length > 0 && !this.isHarmless;
    return gain <= (wasSlow ? HARMLESS_GAIN : PLAINLY_SLOW_GAIN);
  }

  /** Notes the time of a run on the other way. */
  ran(items: number, inferenceMs: number): void {
    this.#msPerItem.set(items, inferenceMs / items);
  }

  /** Records a round. Returns the verdict once there is one. */
  add(gain: number): WayVerdict | null {
    this.#gains.push(gain);
    const misses = this.#gains.filter((each) => each <= this.#minGain).length;
    if (misses > MAX_MISSES || this.#isSlow)
      return this.#verdict(false, `${this.#median.toFixed(2)} times as fast`, true);
    const allowed = allowedMisses(this.#gains.length);
    if (allowed === null || misses > allowed) return null;
    const lowest = this.#sorted[allowed] ?? 0;
    return this.#verdict(true, `${this.#median.toFixed(2)} times as fast, at least ${lowest.toFixed(2)} times`, true);
  }

  /** Ends the trial because an output differs. */
  differs(output: string): WayVerdict {
    return this.#verdict(false, `its answers differ in the output "${output}"`, false);
  }

  /** Ends the trial because the other way does not work. */
  failed(reason: string): WayVerdict {
    return this.#verdict(false, reason, null);
  }

  get #isSlow(): boolean {
    return this.#gains.length >= SLOW_ROUNDS && this.#gains.every((gain) => gain < 1);
  }

  #verdict(chosen: boolean, reason: string, agrees: boolean | null): WayVerdict {
    const msPerItem = Object.fromEntries(this.#msPerItem);
    return { trial: { ...this.way, chosen, reason, msPerItem, agrees }, gain: this.#median };
  }

  get #sorted(): number[] {
    return this.#gains.toSorted((a, b) => a - b);
  }

  get #median(): number {
    return this.#sorted[this.#gains.length >> 1] ?? 0;
  }
}

/** Returns how many rounds may be no gain for the trial to be won after so many; `null` if it cannot be won then. */
function allowedMisses(rounds: number): number | null {
  return rounds < STAGES.first || rounds % STAGES.every !== 0 ? null : (rounds - STAGES.first) / STAGES.every;
}
