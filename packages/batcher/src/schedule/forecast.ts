import type { Arrivals } from "./arrivals.js";
import type { BatchLimits } from "../engine/batch-limits.js";
import { bestRateSize } from "../decide/best-size.js";
import type { CostModel } from "../cost/cost-model.js";

/** The inputs of a forecast. */
export interface ForecastInputs {
  readonly cost: CostModel;
  readonly arrivals: Arrivals;
  readonly limits: BatchLimits;
}

/** A request that arrives now, and the state of the batcher at its arrival. */
export interface ArrivingRequest {
  readonly nowMs: number;
  /** When the engine could start another batch. */
  readonly freeAtMs: number;
  /** Number of queued rows. */
  readonly rowsAhead: number;
  /** Volume of the request's own row. */
  readonly volume: number;
  readonly isOverloaded: boolean;
}

/** Predicts latency, for the latency objective. */
export class Forecast {
  readonly #inputs: ForecastInputs;

  constructor(inputs: ForecastInputs) {
    this.#inputs = inputs;
  }

  /**
   * Predicted time to the result of a request that arrives now, in milliseconds. Assumes that the queued rows are as
   * large as its own. Under overload, requests that arrive while it waits lengthen its batch.
   */
  latencyMs({ nowMs, freeAtMs, rowsAhead, volume, isOverloaded }: ArrivingRequest): number {
    const { cost, arrivals, limits } = this.#inputs;
    const size = bestRateSize(cost, limits.timely(volume), volume, 0);
    const waitMs = freeAtMs - nowMs + Math.floor(rowsAhead / size) * cost.predict(size, volume);
    const joining = isOverloaded ? Math.round(waitMs * arrivals.ratePerMs(nowMs)) : 0;
    return waitMs + cost.predict(Math.min(size, (rowsAhead % size) + 1 + joining), volume);
  }
}
