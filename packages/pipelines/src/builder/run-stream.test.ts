import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createBatchedFunction } from "@framebatch/batcher/functions/batched-function.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { heldStage, settled, type HeldCall } from "../../test/support/held-stage.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";
import { outcomeOf, pipelineOn, read } from "../../test/support/pipelines.js";

/** The slots of a stage that tells no batch size. */
const SLOTS = 8;

/** An endless source of numbers, and what has become of it. */
function numbers() {
  const state = { pulled: 0, isClosed: false };
  function* source() {
    try {
      for (;;) yield state.pulled++;
    } finally {
      state.isClosed = true;
    }
  }
  return { state, source: source() };
}

function answer<In, Out>(calls: readonly HeldCall<In, Out>[], result: (item: In) => Out) {
  for (const { item, resolve } of calls) resolve(result(item));
}

describe("a stream through a pipeline", () => {
  it("yields results in the order of the source, however the stages finish", async () => {
    const { calls, stage } = heldStage<number, number>();
    const { results, end } = read(pipelineOn<number>().stage(stage).runStream([1, 2, 3]));
    await settled();
    answer(calls.toReversed(), (item) => 10 * item);
    expect(await end).toBe("ended");
    expect(results).toEqual([10, 20, 30]);
  });

  it("takes async sources, and yields a result while the source is silent", async () => {
    async function* source() {
      yield 1;
      await new Promise(() => {});
    }
    const { results } = read(
      pipelineOn<number>()
        .stage((item) => 2 * item)
        .runStream(source()),
    );
    await settled();
    expect(results).toEqual([2]);
  });

  it("is held back by its slowest stage: each stage holds at most its slots, and the source waits", async () => {
    const [quick, slow] = [heldStage<number, number>(), heldStage<number, number>()];
    const { source, state } = numbers();
    const pipeline = pipelineOn<number>().stage(quick.stage).stage(slow.stage);
    const { results } = read(pipeline.runStream(source));
    for (let round = 0; round < 5; round++) {
      await settled();
      answer(quick.calls, (item) => item);
    }
    await settled();
    // Results of the first stage keep their slots there until the second stage takes them. One item waits at the
    // entrance, and one is pulled behind it.
    expect([slow.calls.length, quick.calls.length, state.pulled]).toEqual([SLOTS, 2 * SLOTS, 2 * SLOTS + 1]);
    slow.calls[0]?.resolve(0);
    await settled();
    expect(results).toEqual([0]);
    expect([slow.calls.length, quick.calls.length, state.pulled]).toEqual([SLOTS + 1, 2 * SLOTS + 1, 2 * SLOTS + 2]);
  });

  it("gives a stage two batches of its best size, once it knows it", async () => {
    const { calls, stage } = heldStage<number, number>();
    const stats = () => ({ cost: { targetSize: 20 } });
    const { source } = numbers();
    const model = { predict: stage, stats };
    const pipeline = pipelineOn<number>().stage(model);
    read(pipeline.runStream(source));
    await settled();
    expect(calls).toHaveLength(40);
    expect(pipeline.stats().stages[0]).toMatchObject({ slots: 40 });
  });

  it.each([Number.NaN, Infinity, -4, 0])("survives a stage whose statistics make no sense: %d", async (targetSize) => {
    const wrappers = [
      { predict: async (item: number) => item, stats: () => ({ cost: { targetSize } }) },
      { predict: async (item: number) => item, stats: () => ({ stages: [{ slots: 2 * targetSize }] }) },
      { predict: async (item: number) => item, stats: () => ({ stages: [] }) },
    ];
    for (const wrapper of wrappers) {
      const pipeline = pipelineOn<number>().stage(wrapper);
      const { results, end } = read(pipeline.runStream([1, 2]));
      await settled();
      expect([results, pipeline.stats().stages[0]?.slots]).toEqual([[1, 2], SLOTS]);
      expect(await end).toBe("ended");
    }
  });

  it("survives a stage whose statistics fail", async () => {
    const stats = () => {
      throw new Error("disposed");
    };
    const model = { predict: async (item: number) => item, stats };
    const { results, end } = read(pipelineOn<number>().stage(model).runStream([1, 2]));
    expect([await end, results]).toEqual(["ended", [1, 2]]);
  });

  it("takes parts of an item only as fast as the stages work, and counts them", async () => {
    const { calls, stage } = heldStage<number, number>();
    const { source: parts, state } = numbers();
    const pipeline = pipelineOn<string>()
      .split(() => parts)
      .stage(stage)
      .collect((results) => results.length);
    const { end } = read(pipeline.runStream(["endless"]));
    await settled();
    expect([calls.length, state.pulled]).toEqual([SLOTS, SLOTS + 1]);
    answer(calls.slice(0, 3), (item) => item);
    await settled();
    expect([calls.length, state.pulled]).toEqual([SLOTS + 3, SLOTS + 4]);
    await pipeline.dispose();
    expect(await end).toMatchObject({ code: "DISPOSED" });
    expect(state.isClosed).toBe(true);
  });

  it("lets many nested parts through few slots", async () => {
    const pipeline = pipelineOn<number>()
      .split((count) => Array.from({ length: count }, (_, part) => part))
      .stage(async (part) => part)
      .split((part) => [part, part, part])
      .stage(async (part) => part + 1)
      .collect((parts) => parts.reduce((sum, part) => sum + part, 0))
      .stage(async (sum) => sum)
      .collect((sums) => sums.length);
    const { results, end } = read(pipeline.runStream([50, 0, 100]));
    expect([await end, results]).toEqual(["ended", [50, 0, 100]]);
  });

  it("starts no part while it takes back those of an item that failed", async () => {
    const { calls, stage } = heldStage<number, number>();
    function* upTo(count: number) {
      for (let part = 0; part < count; part++) yield part;
    }
    const pipeline = pipelineOn<readonly number[]>()
      .split((counts) => counts)
      .split(upTo)
      .stage(stage)
      .collect((parts) => parts.length)
      .collect((counts) => counts.length);
    const { end } = read(pipeline.runStream([[3, 100]]));
    await settled();
    calls[0]?.reject(new RangeError("too dark"));
    expect(await end).toMatchObject({ code: "STAGE_FAILED" });
    expect(pipeline.stats().stages.map(({ inFlight }) => inFlight)).toEqual([0, 0, 0, 0, 0]);
    expect(calls).toHaveLength(SLOTS);
  });

  it("throws the error of an item at its turn, and takes back the rest", async () => {
    const { calls, stage } = heldStage<number, number>();
    const { source, state } = numbers();
    const { results, end } = read(pipelineOn<number>().stage(stage, { name: "reader" }).runStream(source));
    await settled();
    calls[1]?.reject(new RangeError("too dark"));
    await settled();
    expect(state.isClosed).toBe(false);
    calls[0]?.resolve(0);
    expect(await end).toMatchObject({ code: "STAGE_FAILED", details: { stage: 0, stageName: "reader" } });
    expect([results, state.isClosed]).toEqual([[0], true]);
    expect(calls.map(({ options }) => options.signal.aborted)).toEqual(calls.map((_, index) => index > 1));
  });

  it("throws the error of its source after the results before it", async () => {
    const broken = new RangeError("no more pages");
    function* source() {
      yield 1;
      throw broken;
    }
    const { results, end } = read(
      pipelineOn<number>()
        .stage(async (item) => item)
        .runStream(source()),
    );
    expect([await end, results]).toEqual([broken, [1]]);
  });

  it("frees everything at once when its reader stops", async () => {
    const { calls, stage } = heldStage<number, number>();
    const { source, state } = numbers();
    const pipeline = pipelineOn<number>().stage(stage);
    const stream = pipeline.runStream(source);
    const first = stream.next();
    await settled();
    calls[0]?.resolve(7);
    expect(await first).toEqual({ done: false, value: 7 });
    await stream.return();
    expect(state.isClosed).toBe(true);
    expect(calls.slice(1).every(({ options }) => options.signal.aborted)).toBe(true);
    expect(pipeline.stats()).toMatchObject({ runs: { inFlight: 0, completed: 1 }, stages: [{ inFlight: 0 }] });
    const next = read(pipeline.runStream([1]));
    await settled();
    calls.at(-1)?.resolve(1);
    expect(await next.end).toBe("ended");
  });

  it("ends at once when its signal aborts, and when the pipeline is disposed", async () => {
    const { calls, stage } = heldStage<number, number>();
    const pipeline = pipelineOn<number>().stage(stage);
    const controller = new AbortController();
    const sources = [numbers(), numbers()];
    const [aborted, disposed] = [
      read(pipeline.runStream(sources[0]?.source ?? [], { signal: controller.signal })),
      read(pipeline.runStream(sources[1]?.source ?? [])),
    ];
    await settled();
    controller.abort("enough");
    expect(await aborted.end).toBe("enough");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    await pipeline.dispose();
    expect(await disposed.end).toMatchObject({ code: "DISPOSED" });
    expect(sources.map(({ state }) => state.isClosed)).toEqual([true, true]);
    expect(calls.every(({ options }) => options.signal.aborted)).toBe(true);
  });

  it("pulls nothing after an abort, even while its reader is busy", async () => {
    let pulled = 0;
    async function* source() {
      for (;;) {
        await settled();
        yield pulled++;
      }
    }
    const controller = new AbortController();
    const stream = pipelineOn<number>()
      .stage(async (item) => item)
      .runStream(source(), { signal: controller.signal });
    await stream.next();
    controller.abort("enough");
    // The source was asked for one item before.
    const mostPulled = pulled + 1;
    for (let turn = 0; turn < 5; turn++) await settled();
    expect(pulled).toBe(mostPulled);
    expect(await outcomeOf(stream.next())).toBe("enough");
  });

  it("lets a pipeline that is a stage wait for a full queue, too", async () => {
    const [clock, time] = [new ManualClock(), { frames: new ManualFrames(), close: () => {} }];
    const short = createBatchedFunction(
      (items: readonly string[]) => items.map((item) => item.toUpperCase()),
      { maxQueueSize: 1 },
      { clock, ...time },
    );
    const inner = pipelineOn<string>(clock)
      .split((word) => word.split(""))
      .stage(short)
      .collect((parts) => parts.join(""));
    const { results, end } = read(pipelineOn<string>(clock).stage(inner).runStream(["abc", "de"]));
    for (let task = 0; task < 20; task++) {
      await settled();
      clock.endTask();
    }
    expect([await end, results]).toEqual(["ended", ["ABC", "DE"]]);
    const alone = outcomeOf(inner.run("abc"));
    await settled();
    clock.endTask();
    expect(await alone).toMatchObject({ code: "OVERLOADED" });
  });

  it("gives each item its own timeout, from when it enters", async () => {
    const { calls, stage } = heldStage<number, number>();
    const clock = new ManualClock();
    const { results, end } = read(pipelineOn<number>(clock).stage(stage).runStream([1, 2], { timeoutMs: 50 }));
    await settled();
    clock.advanceTo(20);
    calls[0]?.resolve(1);
    await settled();
    clock.advanceTo(50);
    expect(await end).toMatchObject({ code: "TIMED_OUT" });
    expect(results).toEqual([1]);
  });
});

describe("an overloaded stage", () => {
  const full = new FramebatchError("OVERLOADED", "full", { details: { queued: 1, maxQueueSize: 1 } });
  const late = new FramebatchError("OVERLOADED", "late", { details: { predictedMs: 9, maxLatencyMs: 5 } });

  it("is asked again in a stream, when it has answered another part", async () => {
    const { calls, items, stage } = heldStage<number, number>();
    const { results, end } = read(pipelineOn<number>().stage(stage).runStream([1, 2, 3]));
    await settled();
    calls[1]?.reject(full);
    calls[2]?.reject(full);
    await settled();
    expect(items()).toEqual([1, 2, 3]);
    calls[0]?.resolve(1);
    await settled();
    expect(items()).toEqual([1, 2, 3, 2, 3]);
    answer(calls, (item) => item);
    expect([await end, results]).toEqual(["ended", [1, 2, 3]]);
  });

  it("is asked again from time to time while other callers keep it full, with one timer", async () => {
    const { calls, stage } = heldStage<number, number>();
    const clock = new ManualClock();
    const { results, end } = read(pipelineOn<number>(clock).stage(stage).runStream([1, 2]));
    await settled();
    for (const call of calls) call.reject(full);
    await settled();
    expect([calls.length, clock.pending]).toEqual([2, 1]);
    clock.advanceTo(50);
    expect(calls).toHaveLength(3);
    calls[2]?.reject(full);
    await settled();
    clock.advanceTo(100);
    expect(calls).toHaveLength(4);
    calls[3]?.resolve(2);
    await settled();
    answer(calls, (item) => item);
    expect([await end, results.length]).toEqual(["ended", 2]);
  });

  it("is asked again ever more rarely while another part hangs in it", async () => {
    const clock = new ManualClock();
    const askedAtMs: number[] = [];
    let isFull = true;
    const pipeline = pipelineOn<string>(clock).stage(async (item) => {
      if (item === "hangs") await new Promise(() => {});
      askedAtMs.push(clock.now());
      if (isFull) throw full;
      return item;
    });
    void outcomeOf(pipeline.run("hangs"));
    const { results, end } = read(pipeline.runStream(["innocent"]));
    await settled();
    for (const atMs of [1_000, 3_000]) {
      clock.advanceTo(atMs);
      await settled();
    }
    expect([results, clock.pending]).toEqual([[], 1]);
    isFull = false;
    clock.advanceTo(7_000);
    expect([await end, results]).toEqual(["ended", ["innocent"]]);
    expect(askedAtMs).toEqual([0, 1_000, 3_000, 7_000]);
  });

  it("leaves no timer and no part behind when the stream ends", async () => {
    const { calls, stage } = heldStage<number, number>();
    const clock = new ManualClock();
    const controller = new AbortController();
    const { end } = read(pipelineOn<number>(clock).stage(stage).runStream([1], { signal: controller.signal }));
    await settled();
    calls[0]?.reject(full);
    await settled();
    controller.abort("enough");
    expect(await end).toBe("enough");
    // The only timer is that of the marks.
    clock.advanceTo(100);
    expect([calls.length, clock.pending]).toEqual([1, 0]);
  });

  it("fails an item that it cannot answer in time even alone", async () => {
    const { calls, stage } = heldStage<number, number>();
    const { end } = read(pipelineOn<number>().stage(stage).runStream([1, 2]));
    await settled();
    calls[1]?.reject(late);
    await settled();
    calls[0]?.resolve(1);
    await settled();
    expect(calls).toHaveLength(3);
    calls[2]?.reject(late);
    expect(await end).toMatchObject({ code: "OVERLOADED", details: { stage: 0, maxLatencyMs: 5 }, cause: late });
  });

  it("that only `toResult` asks makes no stage compute its item again", async () => {
    const clock = new ManualClock();
    const doubled: number[] = [];
    const predict = async (item: Float32Array): Promise<number> => {
      const { [0]: value } = structuredClone(item, { transfer: [item.buffer] });
      doubled.push(2 * value!);
      return 2 * value!;
    };
    let refusals = 1;
    const other = async (value: number): Promise<number> => {
      if (refusals-- > 0) throw full;
      return value + 1;
    };
    const { results, end } = read(
      pipelineOn<number>(clock)
        .stage({ predict }, { transfer: true, toItem: (value) => Float32Array.of(value), toResult: other })
        .runStream([1]),
    );
    await settled();
    clock.advanceTo(50);
    expect([await end, results, doubled]).toEqual(["ended", [3], [2]]);
  });

  it("fails a run of its own", async () => {
    const { calls, stage } = heldStage<number, number>();
    const run = pipelineOn<number>().stage(stage).run(1);
    calls[0]?.reject(full);
    expect(await outcomeOf(run)).toMatchObject({ code: "OVERLOADED", cause: full });
  });
});
