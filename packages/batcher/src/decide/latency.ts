import type { RunTimes } from "./situation.js";

/** A request that arrives now, and what runs before it. */
export interface Newcomer {
  /** Time until the engine could start another batch, in milliseconds. */
  readonly untilFreeMs: number;
  /** Number of queued rows, which are assumed to be as large as its own. */
  readonly rowsAhead: number;
  /** Volume of its own row. */
  readonly volume: number;
  /** The batch size with the best rate. */
  readonly size: number;
  /** Rate at which requests arrive and lengthen its batch while it waits, in requests per millisecond. */
  readonly ratePerMs: number;
}

/** Predicted time to the answer of a request that arrives now, in milliseconds. */
export function latencyMs(times: RunTimes, { untilFreeMs, rowsAhead, volume, size, ratePerMs }: Newcomer): number {
  const waitMs = untilFreeMs + Math.floor(rowsAhead / size) * times.shortest(size, volume);
  const joining = Math.round(waitMs * ratePerMs);
  return waitMs + times.shortest(Math.min(size, (rowsAhead % size) + 1 + joining), volume);
}
