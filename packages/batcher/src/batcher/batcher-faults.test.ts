import { afterEach, describe, expect, it, vi } from "vitest";
import { BatchPlanner } from "../schedule/batch-planner.js";
import { Batcher } from "./batcher.js";
import { type BatcherConfig, checkedShape } from "./batcher-config.js";
import type { Clock } from "@framebatch/host/clock.js";
import { CostModel } from "../cost/cost-model.js";
import type { Batch, Outcome } from "../engine/engine.js";
import { RELEASE_RULES } from "../decide/release-rules.js";
import { batching } from "../../test/support/batching.js";
import { costs } from "../../test/support/known-costs.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";

const FAULT = new TypeError("thrown where nothing may throw");

/** Every function that a batcher calls, and the batcher's own parts that make decisions. */
const PLACES = [
  "shapeOf",
  "contentKey",
  "copyResult",
  "onBatch",
  "sink.resolve",
  "sink.reject",
  "engine.run",
  "clock.now",
  "clock.schedule",
  "clock.afterMicrotasks",
  "a cancel of the clock",
  "frames.grid",
  "frames.isHidden",
  "frames.onVisibilityChange",
  "a cancel of the frames",
  "the planner's choice",
  "the cost model's bound",
  "the cost model's observation",
  "the release rule",
] as const;

type Place = (typeof PLACES)[number];

/** Throws once: in the n-th call at one place. */
class Trap {
  readonly #place: Place;
  #left: number;
  isSprung = false;

  constructor(place: Place, nth: number) {
    this.#place = place;
    this.#left = nth;
  }

  at(place: Place): void {
    if (place !== this.#place || this.isSprung || --this.#left > 0) return;
    this.isSprung = true;
    throw FAULT;
  }

  clock(clock: ManualClock): Clock {
    return {
      now: () => (this.at("clock.now"), clock.now()),
      afterMicrotasks: (callback) => (this.at("clock.afterMicrotasks"), clock.afterMicrotasks(callback)),
      schedule: (atMs, callback) => {
        this.at("clock.schedule");
        const cancel = clock.schedule(atMs, callback);
        return () => (this.at("a cancel of the clock"), cancel());
      },
    };
  }

  frames(frames: ManualFrames): BatcherConfig<string, string>["frames"] {
    return {
      grid: () => (this.at("frames.grid"), frames.grid()),
      isHidden: () => (this.at("frames.isHidden"), frames.isHidden()),
      onVisibilityChange: (callback) => {
        this.at("frames.onVisibilityChange");
        const cancel = frames.onVisibilityChange(callback);
        return () => (this.at("a cancel of the frames"), cancel());
      },
    };
  }

  /** The batcher's own parts. Their substitute results are as valid as the real ones. */
  ownParts(): void {
    const at = (place: Place) => this.at(place);
    vi.spyOn(BatchPlanner.prototype, "mayStartAtMs").mockImplementation(
      (_, nowMs) => (at("the planner's choice"), nowMs),
    );
    vi.spyOn(CostModel.prototype, "longest").mockImplementation(() => (at("the cost model's bound"), 20));
    vi.spyOn(CostModel.prototype, "observe").mockImplementation(() => at("the cost model's observation"));
    const { timing } = RELEASE_RULES.frame;
    vi.spyOn(RELEASE_RULES.frame, "timing").mockImplementation(
      (situation) => (at("the release rule"), timing(situation)),
    );
  }
}

/**
 * A batcher in which every place can throw, and an engine that answers all open batches when the test calls `answer`.
 */
function hostile(trap: Trap) {
  const clock = new ManualClock();
  const jobs: { readonly batch: Batch<string>; readonly done: (outcome: Outcome<string>) => void }[] = [];
  const errors: Error[] = [];
  const outcomes: Record<string, unknown[]> = {};
  const batcher = new Batcher<string, string>({
    clock: trap.clock(clock),
    frames: trap.frames(new ManualFrames()),
    engine: {
      run(batch, done) {
        trap.at("engine.run");
        if (batch.predictedMs !== null) jobs.push({ batch, done });
      },
    },
    release: "frame",
    maxBatchSize: 4,
    costData: costs((size) => 2 + size, [1, 2, 4]),
    shapeOf: () => (trap.at("shapeOf"), { group: "", extents: [] }),
    contentKey: (item) => (trap.at("contentKey"), item.slice(0, 1)),
    copyResult: (result) => (trap.at("copyResult"), result),
    dedupe: true,
    resultCacheSize: 2,
    onBatch: () => trap.at("onBatch"),
    onError: (error) => void errors.push(error),
  });
  const ask = (item: string, options = {}) => {
    const heard: unknown[] = (outcomes[item] = []);
    const sink = {
      resolve: (result: string) => (trap.at("sink.resolve"), void heard.push(result)),
      reject: (error: unknown) => (heard.push(error), trap.at("sink.reject")),
    };
    return batcher.enqueue(item, sink, options);
  };
  const answer = (): void => {
    for (const { batch, done } of jobs.splice(0)) {
      if (batch.items.some((item) => item.startsWith("x"))) done({ error: new Error("bad item"), divisible: true });
      else done({ results: batch.items.map((item) => item.toUpperCase()) });
    }
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) {
      clock.advanceTo(clock.now() + 20);
      answer();
      await Promise.resolve();
    }
  };
  return { batcher, clock, ask, answer, settle, outcomes, errors };
}

/** Makes requests of every kind in turn: shared rows, keys, timeouts, aborts, a culprit, and results from the cache. */
async function tell({ batcher, clock, ask, answer, settle }: ReturnType<typeof hostile>): Promise<void> {
  for (const item of ["a1", "a2", "b", "c"]) ask(item);
  clock.endTask();
  ask("d1", { key: "k" });
  ask("d2", { key: "k", timeoutMs: 40 });
  ask("e", { timeoutMs: 15 });
  clock.endTask();
  ask("f", { timeoutMs: 1000 }).cancel("aborted");
  clock.advanceTo(10);
  batcher.flush();
  answer();
  await Promise.resolve();
  for (const item of ["a3", "x", "g", "h"]) ask(item);
  clock.endTask();
  batcher.pause();
  ask("i", { timeoutMs: 5 });
  clock.advanceTo(40);
  batcher.resume();
  await settle();
}

describe("an exception", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(PLACES)(
    "defect 3: in %s still settles every request exactly once, and the next request succeeds",
    async (place) => {
      let times = 0;
      for (;;) {
        const trap = new Trap(place, times + 1);
        trap.ownParts();
        const world = hostile(trap);
        await tell(world);
        vi.restoreAllMocks();
        if (!trap.isSprung) break;
        times += 1;
        const settled = Object.entries(world.outcomes).filter(([, heard]) => heard.length === 1);
        expect(settled.length, `outcomes after throw ${times}`).toBe(Object.keys(world.outcomes).length);
        expect(world.errors, `reports of throw ${times}`).toContain(FAULT);
        world.ask("later");
        await world.settle();
        expect(world.outcomes["later"], `the next request after throw ${times}`).toEqual(["LATER"]);
        const { requests, batches } = world.batcher.stats();
        expect([requests.queued, requests.inFlight, batches.inFlight, world.clock.pending]).toEqual([0, 0, 0, 0]);
      }
      expect(times).toBeGreaterThan(0);
    },
  );

  it("in the error listener itself is ignored", () => {
    const onError = () => {
      throw FAULT;
    };
    const onBatch = onError;
    const { task, engine, outcomes } = batching({ onBatch, onError });
    task("a");
    engine.answer();
    task("b");
    engine.answer();
    expect(outcomes).toEqual({ a: "A", b: "B" });
  });

  it("is reported with the number of requests that it rejects", () => {
    const reports: [string, number][] = [];
    const { ask, task, engine } = batching({
      shapeOf: (item) => {
        if (item === "x") throw FAULT;
        return { group: "", extents: [] };
      },
      onBatch: () => {
        throw FAULT;
      },
      onError: ({ message }, rejected) => void reports.push([message, rejected]),
    });
    ask("x");
    task("a");
    engine.answer();
    vi.spyOn(RELEASE_RULES.idle, "timing").mockImplementation(() => {
      throw FAULT;
    });
    task("bc");
    expect(reports.map(([, rejected]) => rejected)).toEqual([1, 0, 2]);
  });

  it("defect 18: in copyResult rejects only its own request", () => {
    let copies = 0;
    const { ask, clock, engine, outcomes } = batching({
      dedupe: true,
      contentKey: (item) => item.toLowerCase(),
      copyResult: (result) => {
        if (++copies === 1) throw FAULT;
        return result;
      },
    });
    for (const item of ["a", "A", "b"]) ask(item);
    clock.endTask();
    engine.answer();
    expect(outcomes).toEqual({ a: "A", A: FAULT, b: "B" });
  });

  it("in shapeOf, or an invalid shape, rejects the request after the call", () => {
    const shapes: Record<string, readonly number[]> = { a: [Number.NaN], b: [-1], c: [1e9, 1e9], d: [3] };
    const { ask, task, clock, engine, outcomes } = batching({
      shapeOf: (item) => {
        if (item === "f") throw new RangeError("no shape");
        return checkedShape({ group: "", extents: shapes[item]! });
      },
    });
    for (const item of ["a", "b", "c", "e", "f"]) ask(item);
    expect(outcomes).toEqual({});
    clock.endTask();
    task("d");
    engine.answer();
    const invalid = "INVALID_INPUT";
    expect(outcomes).toMatchObject({ a: invalid, b: invalid, c: invalid, d: "D", e: invalid });
    expect(outcomes["f"]).toBeInstanceOf(RangeError);
  });
});
