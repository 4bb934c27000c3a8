import { describe, expect, it } from "vitest";
import { latencyMs } from "../schedule/batch-planner.js";
import { TIMES } from "../../test/support/situation.js";

/** The engine is free in 5 ms, and runs 12 rows at a time. Runs take 8 ms and 1 ms for each row. */
const NEWCOMER = { untilFreeMs: 5, rowsAhead: 0, volume: 1, size: 12, ratePerMs: 0 };

describe("the predicted latency of a request", () => {
  it("counts the engine's work, the full batches ahead, and the request's own batch", () => {
    const latencies = [0, 11, 12].map((rowsAhead) => latencyMs(TIMES, { ...NEWCOMER, rowsAhead }));
    expect(latencies).toEqual([5 + 9, 5 + 20, 5 + 20 + 9]);
  });

  it("counts the requests that arrive while it waits, up to a full batch", () => {
    const latencies = [8, 100].map((untilFreeMs) => latencyMs(TIMES, { ...NEWCOMER, untilFreeMs, ratePerMs: 0.5 }));
    expect(latencies).toEqual([8 + 13, 100 + 20]);
  });
});
