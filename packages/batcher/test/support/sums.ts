import { expect } from "vitest";
import type { BatcherStats } from "../../src/stats/stats.js";

/** Checks the sums that `BatcherStats` guarantees at every instant. The test helper calls it after each step. */
export function expectSums({ requests, batches }: BatcherStats): void {
  const { completed, failed, aborted, timedOut, superseded, shed, disposed, queued, inFlight, refused } = requests;
  const accounted = completed + failed + aborted + timedOut + superseded + shed + disposed + queued + inFlight;
  expect(requests.accepted, "accepted").toBe(accounted);
  expect(requests.offered, "offered").toBe(requests.accepted + refused.queueFull + refused.latency);
  expect(Math.min(queued, inFlight, batches.inFlight), "least count").toBeGreaterThanOrEqual(0);
}
