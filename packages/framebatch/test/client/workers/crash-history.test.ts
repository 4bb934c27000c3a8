import { describe, expect, it } from "vitest";
import { CrashHistory } from "../../../src/client/workers/crash-history.js";

const MINUTE_MS = 60_000;

const runOf = (size: number) => ({ timeoutMs: 1000, size });

/** Returns the number of consecutive crashes, one per second, after which the history gives up. */
function deathsUntilHopeless(size: number): number {
  const crashes = new CrashHistory();
  let count = 1;
  while (!crashes.recordCrash(runOf(size), "wasm", 1000 * count).shouldGiveUp) count += 1;
  return count;
}

describe("consecutive crashes", () => {
  it("make the history give up at the fifth, and later for large batches, where the search for a culprit takes runs", () => {
    expect([1, 2, 32, 256].map(deathsUntilHopeless)).toEqual([5, 6, 10, 13]);
  });

  it("leave room for the search for one culprit and a crash by a second one, at any position", () => {
    // The batch runs twice, then one half per level down to the culprit, which crashes once more. Then the remaining
    // half runs once.
    for (const size of [2, 3, 32, 33, 256]) {
      expect(deathsUntilHopeless(size)).toBeGreaterThan(2 + Math.ceil(Math.log2(size)) + 1 + 1);
    }
  });

  it("restart their count after a successful run", () => {
    const crashes = new CrashHistory();
    for (let count = 0; count < 20; count++) {
      expect(crashes.recordCrash(runOf(1), "wasm", count).shouldGiveUp).toBe(false);
      crashes.recordAnswer();
    }
  });

  it("restart their count if an idle worker crashes rarely, as on a machine that sleeps", () => {
    const crashes = new CrashHistory();
    for (let night = 0; night < 20; night++) {
      expect(crashes.recordCrash(null, "wasm", night * 3 * MINUTE_MS).shouldGiveUp).toBe(false);
    }
  });
});

describe("the GPU", () => {
  it("is avoided after a second loss within two minutes, and not before", () => {
    const crashes = new CrashHistory();
    const lossesAtMs = [0, 3, 4.5, 7].map((minute) => minute * MINUTE_MS);
    const doubts = lossesAtMs.map((atMs) => crashes.recordCrash(null, "webgpu", atMs).shouldAvoidGpu);
    expect(doubts).toEqual([false, false, true, false]);
  });

  it("is trusted again after the history is cleared", () => {
    const crashes = new CrashHistory();
    crashes.recordCrash(null, "webgpu", 0);
    crashes.forget();
    expect(crashes.recordCrash(null, "webgpu", 1).shouldAvoidGpu).toBe(false);
  });
});
