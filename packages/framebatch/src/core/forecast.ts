import type { Arrivals } from "./arrivals.js";
import type { CostModel } from "./cost-model.js";
import type { SizeLimit } from "./size-limit.js";

/** What a forecast is made from. */
export interface ForecastInputs {
  readonly cost: CostModel;
  readonly arrivals: Arrivals;
  readonly limit: SizeLimit;
  /** Objective from call to result in milliseconds; `Infinity` for none. */
  readonly maxLatencyMs: number;
}

/** A request at the door, and what it finds. */
export interface Newcomer {
  readonly nowMs: number;
  /** When the engine could start another batch. */
  readonly freeAtMs: number;
  /** Rows that wait already. */
  readonly rowsAhead: number;
  /** Volume of its own row. */
  readonly volume: number;
  readonly isOverloaded: boolean;
}

/** Predicts what an objective for latency allows. */
export class Forecast {
  readonly #inputs: ForecastInputs;

  constructor(inputs: ForecastInputs) {
    this.#inputs = inputs;
  }

  /**
   * The largest batch worth running. It may take half of the objective, since a request may have to wait for one such
   * batch before it rides in the next. While nothing is known, half a batch: so the first two runs tell the fixed cost
   * from the cost of a row.
   */
  sizeLimit(volume: number): number {
    const { cost, limit, maxLatencyMs } = this.#inputs;
    const maxBatchSize = limit.rows;
    if (maxLatencyMs === Infinity) return maxBatchSize;
    if (!cost.isKnown) return Math.ceil(maxBatchSize / 2);
    return Math.max(
      1,
      largestWithin(maxBatchSize, (size) => cost.predict(size, volume) <= maxLatencyMs / 2),
    );
  }

  /**
   * Predicted time to the result of a request that comes now. Those before it are taken to be as large as it is. Under
   * overload, those who come while it waits make its batch longer.
   */
  latencyMs({ nowMs, freeAtMs, rowsAhead, volume, isOverloaded }: Newcomer): number {
    const { cost, arrivals } = this.#inputs;
    const size = cost.bestSize(this.sizeLimit(volume), volume);
    const waitMs = freeAtMs - nowMs + Math.floor(rowsAhead / size) * cost.predict(size, volume);
    const joining = isOverloaded ? Math.round(waitMs * arrivals.ratePerMs(nowMs)) : 0;
    return waitMs + cost.predict(Math.min(size, (rowsAhead % size) + 1 + joining), volume);
  }
}

/** The largest size up to `limit` that fits, by bisection; 0 if not even 1 does. Whatever is smaller than one that fits, fits. */
export function largestWithin(limit: number, fits: (size: number) => boolean): number {
  let [most, tooMany] = [0, limit + 1];
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1;
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}
