import { describe, expect, it } from "vitest";
import { crash, CrashHistory, maxCrashes, neverStarted } from "./crash-history.js";
import { Bisection } from "@framebatch/batcher/engine/failure-search.js";

const MINUTE_MS = 60_000;

const RUN = { timeoutMs: 1000, isDivided: false };

/**
 * Returns whether the history lets new workers start until the searches through these batches, which are in flight
 * together, have found every item that ends workers. Steps of the searches alternate.
 */
function survives(batches: readonly (readonly number[])[], culprits: readonly number[]): boolean {
  const crashes = new CrashHistory();
  const endsWorker = (items: readonly number[]) => items.some((item) => culprits.includes(item));
  const steps = batches.map((items) => ({ items, search: null as Bisection<number> | null }));
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const { items, search } = step;
    const run = { ...RUN, isDivided: search !== null && items.length > 1 };
    const hasFailed = endsWorker(items);
    if (!hasFailed) crashes.recordAnswer();
    const deaths = hasFailed ? maxCrashes(run) : 0;
    for (let death = 0; death < deaths; death += 1) {
      const { shouldGiveUp } = crashes.recordCrash(run, "wasm", 0);
      if (shouldGiveUp) return false;
    }
    const failure = hasFailed ? { error: new Error("the worker ended") } : null;
    const next = search ?? (hasFailed && items.length > 1 ? new Bisection(items) : null);
    if (next !== null && (search === null || next.ended(failure, items)))
      steps.push({ items: next.testing, search: next });
  }
  return true;
}

describe("consecutive crashes", () => {
  it("include each load that fails, however long the load took", () => {
    const crashes = new CrashHistory();
    const lost = (load: number) => crashes.recordLoss(crash("it does not start"), "wasm", 10 * load * MINUTE_MS);
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9].map(lost)).toEqual([...Array.from({ length: 8 }, () => false), true]);
    const silent = new CrashHistory();
    const silentAt = (load: number) => silent.recordLoss(neverStarted(70_000), "wasm", 10 * load * MINUTE_MS);
    expect([1, 2, 3].map(silentAt)).toEqual([false, false, true]);
  });

  it("make the history give up at the ninth, not counting those within a search", () => {
    const crashes = new CrashHistory();
    const givesUp = (isSearch: boolean) => {
      return crashes.recordCrash({ ...RUN, isDivided: isSearch }, "wasm", 0).shouldGiveUp;
    };
    expect(Array.from({ length: 8 }, () => [givesUp(false), givesUp(true)]).flat()).not.toContain(true);
    expect(givesUp(false)).toBe(true);
  });

  it("leave room for the search for two culprits at any position, in one batch or in two that are in flight together", () => {
    const items = Array.from({ length: 17 }, (_, index) => index);
    for (const end of items.slice(1))
      for (const first of items)
        for (const second of items.slice(first + 1)) {
          const batches = [items.slice(0, end), items.slice(end)];
          expect(survives(batches, [first, second]), `${end}: ${first} and ${second}`).toBe(true);
        }
  });

  it("restart their count after a successful run", () => {
    const crashes = new CrashHistory();
    for (let count = 0; count < 20; count++) {
      expect(crashes.recordCrash(RUN, "wasm", count).shouldGiveUp).toBe(false);
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
