import type { Arrivals } from "./arrivals.js";
import type { BatchLimits } from "../engine/batch-limits.js";
import { sizeForRate } from "./batch-size.js";
import type { CostModel } from "../cost/cost-model.js";

/** What a forecast is made from. */
export interface ForecastInputs {
  readonly cost: CostModel;
  readonly arrivals: Arrivals;
  readonly limits: BatchLimits;
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
   * Predicted time to the result of a request that comes now. Those before it are taken to be as large as it is. Under
   * overload, those who come while it waits make its batch longer.
   */
  latencyMs({ nowMs, freeAtMs, rowsAhead, volume, isOverloaded }: Newcomer): number {
    const { cost, arrivals, limits } = this.#inputs;
    const limit = limits.timely(volume);
    const size = sizeForRate(cost, limit, limit, volume);
    const waitMs = freeAtMs - nowMs + Math.floor(rowsAhead / size) * cost.predict(size, volume);
    const joining = isOverloaded ? Math.round(waitMs * arrivals.ratePerMs(nowMs)) : 0;
    return waitMs + cost.predict(Math.min(size, (rowsAhead % size) + 1 + joining), volume);
  }
}
