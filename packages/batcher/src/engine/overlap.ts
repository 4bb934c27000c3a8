import type { InFlightBatch } from "./in-flight.js";

/** A time differs from another one if it is so many times as long. */
const OTHER = 4 / 3;

/** A run whose time is certain: it began on a free engine, or just before the end of the run that it was behind. */
interface CertainRun {
  readonly endedAtMs: number;
  readonly ms: number;
  /** Volume of all rows. */
  readonly volume: number;
}

/**
 * Learns whether an engine that does not time its runs works on two batches at the same time, such as a call to a server, or
 * on one after the other. The time of a batch that was dispatched behind another one is then that since its dispatch, or
 * only that since the end of the other one.
 *
 * Under a steady load, both look the same. What tells them apart is a batch behind one whose time is certain: it takes no less
 * time than its volume says, and no more. One such pair against what was known may be an outlier, for example a first run that
 * compiles code. It raises a doubt, and the next pair decides. Until then, no batch behind another one shows any time.
 */
export class Overlap {
  /** `null` before anything has shown it. */
  #overlaps: boolean | null = null;
  #isDoubtful = false;
  #certain: CertainRun | null = null;

  /** Whether the next batch should find the engine free, and the one after it follow at once. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** How long the next batch waits, in doubt, for the engine to be free, in milliseconds. */
  get patienceMs(): number {
    return OTHER * (this.#certain?.ms ?? 0);
  }

  /**
   * Returns the time of a run in milliseconds; `null` if it is in doubt.
   * @param volume that of all rows
   */
  timeOf({ dispatchedAtMs, startedAtMs }: InFlightBatch, volume: number, nowMs: number): number | null {
    const ownMs = nowMs - dispatchedAtMs;
    if (startedAtMs === null) {
      this.#knows(true);
      return ownMs;
    }
    const ms = nowMs - startedAtMs;
    const before = this.#certain?.endedAtMs === startedAtMs ? this.#certain : null;
    if (ms * OTHER >= ownMs) {
      this.#certain = { endedAtMs: nowMs, ms, volume };
      return ms;
    }
    this.#saw(before === null ? null : overlapIn(before, { ownMs, ms, volume }));
    if (this.#isDoubtful) return null;
    return this.#overlaps === true ? ownMs : ms;
  }

  /** @param overlaps `null` if a pair has not shown it */
  #saw(overlaps: boolean | null): void {
    if (overlaps === null) this.#isDoubtful ||= this.#overlaps === null;
    else if (this.#isDoubtful || overlaps === (this.#overlaps ?? false)) this.#knows(overlaps);
    else this.#isDoubtful = true;
  }

  #knows(overlaps: boolean): void {
    this.#overlaps = overlaps;
    this.#isDoubtful = false;
  }
}

/** Returns whether a run has overlapped with the one that it was behind; `null` if it may have taken as long either way. */
function overlapIn(
  before: CertainRun,
  { ownMs, ms, volume }: { readonly ownMs: number; readonly ms: number; readonly volume: number },
): boolean | null {
  const share = volume / before.volume;
  if (ms * OTHER < before.ms * Math.min(1, share)) return true;
  return ownMs > before.ms * Math.max(1, share) * OTHER ? false : null;
}
