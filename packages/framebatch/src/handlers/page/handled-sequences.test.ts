import { beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
import { createHandledModelAt } from "./create-handled-model.js";
import { keepSource } from "../../client/options/model-source.js";
import type { HandlerModelOptions } from "../../client/options/options.js";
import type { Handlers } from "../worker/handlers.js";
import { WorkerClient } from "../../client/workers/worker-client.js";
import { handledSite } from "../../../test/support/channel-worker.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { streamsAlone } from "../../../test/support/streams-alone.js";

beforeAll(() => stubBrowser());

/** What the handlers of a sequence remember: the numbers of its steps so far. */
interface Heard {
  numbers: number[];
}

type Counting = Handlers<number, number[], undefined, Heard>;

/** The row of an item: its number, and how many its sequence has had before. */
const COUNTING: Counting = {
  begin: () => ({ numbers: [] }),
  preprocess(number, { sequence }) {
    if (number < 0) throw new RangeError("too low");
    sequence.numbers.push(number);
    return { x: Float32Array.of(number, sequence.numbers.length, 0, 0) };
  },
  postprocess: (_outputs, _item, { sequence }) => sequence.numbers,
};

/** An item that ends the first worker that preprocesses it. */
const KILLER = 100;

async function open(
  handlers: Counting,
  options: Partial<HandlerModelOptions<number>> = {},
  site = handledSite(() => handlers),
) {
  const fixed = { cache: false, executionProviders: ["wasm"], worker: () => new Worker("unused") } as const;
  const source = keepSource(generateModel("sequence-rows").bytes);
  const recurrent = { recurrent: { state: "stateN" } };
  const all = { ...fixed, ...recurrent, ...options };
  const model = await createHandledModelAt<number, number[]>(site, source, all, site);
  return { model, site, [Symbol.asyncDispose]: () => model.dispose() };
}

describe("handlers of a sequence", () => {
  it("remember what its steps before have left, and of nobody else", async () => {
    await using opened = await open(COUNTING);
    const sequences = [0, 1, 2].map(() => opened.model.sequence());
    const asked = sequences.flatMap((each, index) => [1, 2, 3].map((step) => each.predict(10 * index + step)));
    const alone = [opened.model.predict(7), opened.model.predict(8)];
    const all = await Promise.all(asked);
    expect([all[2], all[5], all[8]]).toEqual([
      [1, 2, 3],
      [11, 12, 13],
      [21, 22, 23],
    ]);
    expect(await Promise.all(alone)).toEqual([[7], [8]]);
  });

  it("remember nothing of a step that fails or is aborted, and begin again after a reset", async () => {
    await using opened = await open(COUNTING);
    const sequence = opened.model.sequence();
    const aborts = new AbortController();
    const first = sequence.predict(1);
    const failed = sequence.predict(-1);
    const aborted = sequence.predict(5, { signal: aborts.signal });
    await first;
    await expect(failed).rejects.toMatchObject({ code: "HANDLER_FAILED", details: { stage: "preprocess" } });
    aborts.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    expect(await sequence.predict(2)).toEqual([1, 2]);
    sequence.reset();
    expect(await sequence.predict(3)).toEqual([3]);
  });

  it.each([1, 3, 64])("remember the same in a new worker, with a copy every %i steps", async (snapshotEvery) => {
    await using opened = await open(COUNTING);
    const sequence = opened.model.sequence({ snapshotEvery });
    for (let step = 1; step <= 6; step++) {
      if (step % 3 === 0) opened.site.started.at(-1)!.fail("it broke");
      expect(await sequence.predict(step)).toEqual(Array.from({ length: step }, (_, index) => index + 1));
    }
  });

  it("run although an item of their batch is aborted while a state is restored", async () => {
    const aborts = new AbortController();
    let runs = 0;
    await using opened = await open({
      ...COUNTING,
      preprocess(number, context) {
        if (number === 1 && ++runs === 2) aborts.abort(new Error("enough"));
        return COUNTING.preprocess!(number, context);
      },
    });
    const sequence = opened.model.sequence();
    await sequence.predict(1);
    await opened.model.restart();
    const alone = opened.model.predict(7, { signal: aborts.signal });
    const next = sequence.predict(2);
    await expect(alone).rejects.toThrow("enough");
    expect(await next).toEqual([1, 2]);
  });

  describe("after a worker has ended, while a run of the item that has ended it is exclusive", () => {
    /** A sequence with an aborted step, which waits in the worker behind that run; `go` ends the run. */
    async function withAbortedStep(before: readonly number[]) {
      const seen: number[] = [];
      let go: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => (go = resolve));
      const site = handledSite<number, number[], undefined, Heard>((worker) => ({
        ...COUNTING,
        async preprocess(number, context) {
          seen.push(number);
          const isKiller = number === KILLER;
          if (isKiller && seen.filter((each) => each === KILLER).length === 1) worker.fail("it broke");
          else if (isKiller) await gate;
          return COUNTING.preprocess!(number, context);
        },
      }));
      const { model } = await open(COUNTING, { batching: false }, site);
      const sequence = model.sequence();
      for (const number of before) await sequence.predict(number);
      const aborts = new AbortController();
      void model.predict(KILLER, { signal: aborts.signal }).catch(() => undefined);
      await expect.poll(() => seen.filter((each) => each === KILLER).length).toBe(2);
      const aborted = sequence.predict(5, { signal: aborts.signal });
      await expect.poll(() => model.stats().batches.inFlight).toBe(2);
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      aborts.abort(new Error("enough"));
      await expect(aborted).rejects.toThrow("enough");
      return { model, sequence, seen, go, [Symbol.asyncDispose]: () => model.dispose() };
    }

    it("remember nothing of an aborted step that waits for it, and begins after its successor", async () => {
      await using scene = await withAbortedStep([]);
      const next = scene.sequence.predict(1);
      await expect.poll(() => scene.seen.at(-1)).toBe(1);
      scene.go();
      expect([await next, await scene.sequence.predict(2)]).toEqual([[1], [1, 2]]);
    });

    it("lose nothing after a reset by a replay that waits for it", async () => {
      await using scene = await withAbortedStep([1]);
      scene.sequence.reset();
      const next = scene.sequence.predict(7);
      await expect.poll(() => scene.seen.at(-1)).toBe(7);
      scene.go();
      expect([await next, await scene.sequence.predict(8)]).toEqual([[7], [7, 8]]);
    });
  });

  it("see neither the states of the model nor those of others", async () => {
    const alone = await streamsAlone("sequence-rows", [1, 4]);
    const seen: string[] = [];
    await using opened = await open({
      ...COUNTING,
      postprocess(outputs, _item, { signature }) {
        seen.push(...Object.keys(outputs), ...signature.inputs.map(({ name }) => name));
        return Array.from(outputs["y"]?.data ?? [], Number);
      },
    });
    const sequences = [0, 1, 2, 3].map(() => opened.model.sequence({ snapshotEvery: 2 }));
    const expected = sequences.map(() => alone.stream());
    for (let step = 1; step <= 5; step++) {
      if (step === 4) opened.site.started.at(-1)!.fail("it broke");
      const asked = await Promise.all(sequences.map((each, stream) => each.predict(stream + step)));
      for (const [stream, answer] of asked.entries()) {
        const y = await expected[stream]!.step(Float32Array.of(stream + step, step, 0, 0));
        expect(answer).toEqual(Array.from(y, Number));
      }
    }
    expect(new Set(seen)).toEqual(new Set(["y", "x"]));
    await alone.release();
  });

  it("are refused a snapshot, which could not tell what they remember", async () => {
    await using opened = await open(COUNTING);
    const sequence = opened.model.sequence();
    await sequence.predict(1);
    await expect(sequence.snapshot()).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("fail the step that leaves what cannot be copied, and only that", async () => {
    await using opened = await open({
      ...COUNTING,
      postprocess(_outputs, item, { sequence }) {
        if (item === 13) Reflect.set(sequence, "bad", () => 0);
        return sequence.numbers;
      },
    });
    const sequence = opened.model.sequence();
    await sequence.predict(1);
    await expect(sequence.predict(13)).rejects.toMatchObject({ code: "HANDLER_FAILED", details: { stage: "begin" } });
    expect(await sequence.predict(2)).toEqual([1, 2]);
  });
});

async function listOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe("a stage with a sequence for each stream", () => {
  it("remembers within each stream, and nothing between runs and parts", async () => {
    await using opened = await open(COUNTING);
    await using numbers = createPipeline<number>()
      .stage((item) => Promise.resolve(item))
      .stage(opened.model, { sequence: true });
    const streams = [1, 11].map((first) => listOf(numbers.runStream([first, first + 1, first + 2])));
    expect(await Promise.all(streams)).toEqual([
      [[1], [1, 2], [1, 2, 3]],
      [[11], [11, 12], [11, 12, 13]],
    ]);
    expect(await numbers.run(5)).toEqual([5]);
    await using parts = createPipeline<number[]>()
      .split((all) => all)
      .stage(numbers)
      .collect((all) => all.length);
    expect(await listOf(parts.runStream([[1, 2], [3]]))).toEqual([2, 1]);
  });

  it("ends its sequence with the stream, also one that is left", async () => {
    await using opened = await open(COUNTING);
    const told = vi.spyOn(WorkerClient.prototype, "notify");
    const ended = () => told.mock.calls.filter(([notice]) => "endedSequence" in notice);
    await using numbers = createPipeline<number>().stage(opened.model, { sequence: true });
    for await (const heard of numbers.runStream([1, 2, 3])) if (heard.length === 2) break;
    await expect.poll(() => ended().length).toBe(1);
    told.mockRestore();
  });

  it("is refused where there can be none", () => {
    const refused = (stage: () => unknown) =>
      expect(stage).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    const double = (item: number) => 2 * item;
    refused(() => createPipeline<number>().stage(double, { sequence: true }));
    refused(() => createPipeline<number>().stage(createPipeline<number>().stage(double), { sequence: true }));
  });
});
