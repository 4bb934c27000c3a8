import { describe, expect, it } from "vitest";
import type { ItemShape } from "../queue/shape.js";
import type { Priority } from "../queue/request.js";
import { batching } from "../../test/support/batching.js";
import { costs } from "../../test/support/known-costs.js";

const urgent: Priority = "user-blocking";
const background: Priority = "background";

/** Fills a paused queue, and returns its batches of two in dispatch order. */
function order(fill: (harness: ReturnType<typeof batching>) => void, options = {}): string[] {
  const harness = batching({ maxBatchSize: 2, costData: costs((size) => 8 + size), ...options });
  harness.batcher.pause();
  fill(harness);
  harness.batcher.resume();
  while (harness.engine.open > 0) {
    harness.clock.freezeUntil(harness.clock.now() + 9);
    harness.engine.answer();
    harness.clock.endTask();
  }
  return harness.engine.batches.map(({ items }) => items.join(""));
}

/** Forms the largest possible batches, whether they pay off or not. */
const WHOLE = { release: "window", maxQueueDelayMs: 0 } as const;

describe("the order of requests", () => {
  it("is by priority, and by arrival within a priority", () => {
    const sent = order(({ task }) => {
      task("ab", { priority: background });
      task("cd");
      task("ef", { priority: urgent });
    });
    expect(sent).toEqual(["ef", "cd", "ab"]);
  });

  it("is by deadline within a priority, with requests without a deadline last", () => {
    const sent = order(({ task }) => {
      task("ab");
      task("cd", { timeoutMs: 900 });
      task("ef", { timeoutMs: 800 });
      task("g", { priority: background, timeoutMs: 500 });
    });
    expect(sent).toEqual(["ef", "cd", "ab", "g"]);
  });

  it("follows a queued request whose priority changes, also when it changes back", () => {
    const sent = order(({ task }) => {
      const [a, b] = task("ab", { priority: background });
      const [c] = task("cd");
      task("e");
      a?.setPriority("user-blocking");
      b?.setPriority("user-blocking");
      b?.setPriority("background");
      c?.setPriority("background");
    });
    expect(sent).toEqual(["ad", "eb", "c"]);
  });

  it("ignores a change of priority after the dispatch", () => {
    const { task, clock, engine, log } = batching();
    const [a] = task("a");
    a?.setPriority("background");
    clock.advanceTo(9);
    engine.answer();
    task("b");
    expect(log).toEqual(["0: a (idle)", "9: b (idle)"]);
  });

  it("does not starve requests without a deadline behind requests with one", () => {
    const { ask, clock, batcher, engine } = batching({ maxBatchSize: 1 });
    batcher.pause();
    ask("a");
    clock.advanceTo(9500);
    ask("b", { timeoutMs: 501 });
    ask("c", { timeoutMs: 499 });
    batcher.resume();
    expect(engine.batches.map(({ items }) => items.join(""))).toEqual(["c", "a"]);
  });
});

describe("background work", () => {
  const batches = (known: (size: number) => number, sizes = [1, 2, 3, 4], options = {}) =>
    order(
      ({ task }) => {
        task("abc", { priority: background });
        task("xy");
      },
      { maxBatchSize: 4, costData: costs(known, sizes), ...WHOLE, ...options },
    );

  it("shares a batch with urgent work if the run takes only slightly longer", () => {
    expect(batches((size) => 8 + size)[0]).toBe("xyab");
  });

  it("waits for a batch of its own if it would make the urgent run more than half longer", () => {
    expect(batches((size) => 1 + 2 * size)[0]).toBe("xya");
    const steps: Record<number, number> = { 1: 10, 2: 12, 3: 24, 4: 24 };
    expect(batches((size) => steps[size] ?? 24)[0]).toBe("xy");
  });

  it("fills rows that would otherwise be padding", () => {
    const known = (size: number): number => (size === 1 ? 10 : 36);
    expect(batches(known, [1, 4])[0]).toBe("xya");
    expect(batches(known, [1, 4], { allowedBatchSizes: [1, 4] })[0]).toBe("xyab");
  });
});

describe("ageing", () => {
  /**
   * Keeps ten urgent requests queued and dispatches one batch of one per step. Returns the number of the batch that
   * dispatched each aged request.
   */
  function ledUnderLoad(aged: string, batchesBefore: number): number[] {
    const { ask, task, clock, engine } = batching({ maxBatchSize: 1, release: "window", maxQueueDelayMs: 0 });
    const step = (): void => {
      ask("x", { priority: urgent });
      engine.answer();
      clock.endTask();
    };
    task("xxxxxxxxxx", { priority: urgent });
    for (let batch = 0; batch < batchesBefore; batch++) step();
    task(aged, { priority: background });
    const before = engine.batches.length;
    clock.freezeUntil(clock.now() + 999);
    for (let batch = 0; batch < 20; batch++) step();
    expect(engine.batches.slice(before).every(({ items }) => items[0] === "x")).toBe(true);
    clock.freezeUntil(clock.now() + 2000);
    const since = engine.batches.length;
    for (let batch = 0; batch < 100; batch++) step();
    const led = engine.batches.slice(since).map(({ items }) => items.join(""));
    return Array.from(aged, (item) => 1 + led.indexOf(item));
  }

  it("dispatches no request early, and a single aged request within eight batches", () => {
    for (const before of [0, 3, 7]) {
      const [batch] = ledUnderLoad("a", before);
      expect(batch).toBeGreaterThanOrEqual(1);
      expect(batch).toBeLessThanOrEqual(8);
    }
  });

  it("dispatches the oldest aged request first, and each later one within eight more batches, whatever its deadline", () => {
    const led = ledUnderLoad("abcd", 5);
    expect(led.toSorted((a, b) => a - b)).toEqual(led);
    led.forEach((batch, older) => expect(batch).toBeLessThanOrEqual(8 * (older + 1)));
    expect(led.slice(1).map((batch, older) => batch - led[older]!)).toEqual([8, 8, 8]);
  });

  it("holds against new requests of the same priority with earlier deadlines", () => {
    const { ask, task, clock, engine } = batching({ maxBatchSize: 1, release: "window", maxQueueDelayMs: 0 });
    task("xxxx", { priority: urgent });
    task("a", { priority: background });
    clock.advanceTo(1000);
    for (let batch = 0; batch < 20; batch++) {
      ask("x", { priority: urgent });
      ask("b", { priority: background, timeoutMs: 50 });
      engine.answer();
      clock.endTask();
    }
    const led = engine.batches.map(({ items }) => items.join(""));
    expect(led.indexOf("a")).toBeGreaterThan(0);
    expect(led.indexOf("a")).toBeLessThanOrEqual(4 + 8);
  });
});

describe("shapes", () => {
  /** The item "g12" belongs to group g and has the extent 12. */
  const shapeOf = (item: string): ItemShape => ({ group: item[0]!, extents: [Number(item.slice(1))] });
  const known = (fixedMs: number) => {
    const shapes = [8, 64, 512].flatMap(
      (volume) => costs((size) => fixedMs + (size * volume) / 100, [1, 2, 4], volume).shapes,
    );
    return { version: 1, shapes } as const;
  };
  function batches(items: string[], fixedMs: number, options = {}) {
    const { ask, clock, engine, batcher } = batching({
      shapeOf,
      costData: known(fixedMs),
      maxBatchSize: 8,
      ...WHOLE,
      ...options,
    });
    for (const item of items) ask(item);
    clock.endTask();
    while (engine.open > 0) {
      clock.freezeUntil(clock.now() + fixedMs);
      engine.answer();
      clock.endTask();
    }
    return {
      sent: engine.batches.map(({ items: rows, extents }) => `${rows.join(" ")} at ${extents.join()}`),
      batcher,
    };
  }

  it("of different groups never share a batch", () => {
    expect(batches(["a8", "b8", "a8", "b8"], 50).sent).toEqual(["a8 a8 at 8", "b8 b8 at 8"]);
  });

  it("of different sizes share a batch if a second run would cost more than the padding", () => {
    expect(batches(["a8", "a64", "a8"], 50).sent).toEqual(["a8 a8 a64 at 64"]);
  });

  it("of different sizes run in separate batches if padding would cost more than a second run", () => {
    expect(batches(["a8", "a512", "a8", "a512"], 5).sent).toEqual(["a8 a8 at 8", "a512 a512 at 512"]);
  });

  it("of almost equal size always share a batch, padded only to the largest of them", () => {
    expect(batches(["a505", "a510", "a507"], 10).sent).toEqual(["a505 a510 a507 at 510"]);
  });

  it("count as padding only by their padded volume", () => {
    const { batcher } = batches(["a8", "a64"], 50);
    expect(batcher.stats().paddingWaste).toBeCloseTo(1 - 72 / 128, 12);
  });

  it("may have an own volume smaller than their extents", () => {
    const { batcher } = batches(["a8"], 1, { shapeOf: () => ({ group: "", extents: [8], volume: 6 }) });
    expect(batcher.stats().paddingWaste).toBeCloseTo(0.25, 12);
  });
});

describe("allowedBatchSizes", () => {
  it("pad batches up to the next allowed size", () => {
    const { task, clock, engine, batcher } = batching({ allowedBatchSizes: [1, 4, 8], maxBatchSize: 8 });
    for (const items of ["a", "bc", "defgh"]) {
      task(items);
      clock.advanceTo(clock.now() + 9);
      engine.answer();
    }
    expect(engine.batches.map(({ items, paddedSize }) => [items.length, paddedSize])).toEqual([
      [1, 1],
      [2, 4],
      [5, 8],
    ]);
    expect(batcher.stats().paddingWaste).toBeCloseTo(1 - 8 / 13, 12);
  });

  it("also apply to the runs of a search for a culprit", () => {
    const { task, engine } = batching({ allowedBatchSizes: [4], maxBatchSize: 4 });
    task("abcd");
    while (engine.open > 0) engine.answer(() => ({ error: new Error("bad"), divisible: true }));
    expect(engine.batches.every(({ paddedSize }) => paddedSize === 4)).toBe(true);
    expect(engine.batches.length).toBeGreaterThan(1);
  });
});

describe("a newer request with the key of a queued one", () => {
  const busy = { maxBatchSize: 2 } as const;

  it("takes the place of the older request in the queue", () => {
    const { task, engine, log } = batching(busy);
    task("ab");
    task("cd");
    task("e", { key: "tile" });
    task("fg");
    task("h", { key: "tile" });
    engine.answer();
    expect(log.at(-1)).toBe("0: h f (full)");
  });

  it("is queued by its own priority if that differs", () => {
    const { task, engine, log } = batching(busy);
    task("ab");
    task("cd");
    task("e", { key: "tile", priority: "background" });
    task("fg");
    task("h", { key: "tile" });
    engine.answer();
    expect(log.at(-1)).toBe("0: f g (full)");
  });
});
