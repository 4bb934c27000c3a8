import { describe, expect, it } from "vitest";
import { CrashHistory } from "../../../src/client/workers/crash-history.js";

const MINUTE_MS = 60_000;

const runOf = (size: number) => ({ timeoutMs: 1000, size });

/** How many deaths it takes until it is hopeless, one each second. */
function deathsUntilHopeless(size: number): number {
  const deaths = new CrashHistory();
  let count = 1;
  while (!deaths.died(runOf(size), "wasm", 1000 * count).shouldGiveUp) count += 1;
  return count;
}

describe("deaths in a row", () => {
  it("are hopeless from the fifth on, and later for large batches, in which a culprit has to be found", () => {
    expect([1, 2, 32, 256].map(deathsUntilHopeless)).toEqual([5, 6, 10, 13]);
  });

  it("suffice to find one culprit, and a second one beside it, wherever they are", () => {
    // The batch twice, its halves once each down to the culprit, which dies once more; then what was set aside, once.
    for (const size of [2, 3, 32, 33, 256]) {
      expect(deathsUntilHopeless(size)).toBeGreaterThan(2 + Math.ceil(Math.log2(size)) + 1 + 1);
    }
  });

  it("end with a run that works", () => {
    const deaths = new CrashHistory();
    for (let count = 0; count < 20; count++) {
      expect(deaths.died(runOf(1), "wasm", count).shouldGiveUp).toBe(false);
      deaths.survived();
    }
  });

  it("are none where an idle worker dies now and then, as on a machine that sleeps", () => {
    const deaths = new CrashHistory();
    for (let night = 0; night < 20; night++) {
      expect(deaths.died(null, "wasm", night * 3 * MINUTE_MS).shouldGiveUp).toBe(false);
    }
  });
});

describe("the GPU", () => {
  it("is doubted after a second loss within two minutes, and not before", () => {
    const deaths = new CrashHistory();
    const lossesAtMs = [0, 3, 4.5, 7].map((minute) => minute * MINUTE_MS);
    const doubts = lossesAtMs.map((atMs) => deaths.died(null, "webgpu", atMs).shouldAvoidGpu);
    expect(doubts).toEqual([false, false, true, false]);
  });

  it("is trusted again once everything is forgotten", () => {
    const deaths = new CrashHistory();
    deaths.died(null, "webgpu", 0);
    deaths.forget();
    expect(deaths.died(null, "webgpu", 1).shouldAvoidGpu).toBe(false);
  });
});
