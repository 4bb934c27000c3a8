import { SHED } from "../baselines/shed.js";
import type { Policy } from "../policy.js";

/** How a request ended in another implementation's replay. */
export interface RecordedOutcome {
  /** Time of the answer or refusal, in milliseconds; `null` if the request was open at the end. */
  readonly settledMs: number | null;
  readonly isRefused: boolean;
}

/** A policy that settles each request as recorded, in the order of arrival. It runs nothing on the engine. */
export function recorded(outcomes: readonly RecordedOutcome[]): Policy {
  return ({ clock }) => ({
    enqueue(item, sink) {
      const outcome = outcomes[item.id];
      if (outcome === undefined)
        throw new Error(`expected an outcome of request ${item.id}, got ${outcomes.length} outcomes`);
      if (outcome.settledMs === null) return;
      clock.schedule(outcome.settledMs, () => {
        if (outcome.isRefused) sink.reject(SHED);
        else sink.resolve(item.id, null, item.arrivedAtMs);
      });
    },
    stop() {},
  });
}
