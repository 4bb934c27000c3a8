import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { createModelAt } from "../../client/model/create-batched-model.js";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
import { keepSource } from "../../client/options/model-source.js";
import type { ModelOptions } from "../../client/options/options.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ServedApi } from "../../transport/transport.js";
import { SessionHost } from "../../worker/host/session-host.js";
import { channelSite, hostSite } from "../../../test/support/channel-worker.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { streamsAlone } from "../../../test/support/streams-alone.js";

const KINDS = [
  ["sequence-rows", [1, 4]],
  ["sequence-layers", [2, 1, 4]],
] as const;
const SEED_FACTORS = [7, 13, 29, 3] as const;

beforeAll(() => stubBrowser());

const loadSequences = () => import("./sequence-items.js");

/** The item of a step of a stream. */
function itemOf(stream: number, step: number): Float32Array {
  return Float32Array.from(SEED_FACTORS, (factor) => (factor * (stream + 1) + 17 * step * step + step) % 101);
}

async function open(name: string, options: ModelOptions = {}, site = hostSite()) {
  const model = await createModelAt({ site, share: null, loadSequences }, keepSource(generateModel(name).bytes), {
    cache: false,
    executionProviders: ["wasm"],
    recurrent: { state: "stateN" },
    ...options,
  });
  return { model, site, [Symbol.asyncDispose]: () => model.dispose() };
}

describe.each(KINDS)("sequences of %s", (name, dims) => {
  let alone: Awaited<ReturnType<typeof streamsAlone>>;
  beforeAll(async () => void (alone = await streamsAlone(name, dims)));
  afterAll(() => alone.release());

  it("give in shared batches what each gives alone, beside requests without a state", async () => {
    // The size of a batch then does not depend on measured times.
    const batching = { release: "window" } as const;
    await using opened = await open(name, { verify: { budgetMs: 600_000 }, batching });
    const { model } = opened;
    const sequences = Array.from({ length: 8 }, () => model.sequence());
    const asked = sequences.map((sequence, stream) =>
      Array.from({ length: 5 + stream }, (_, step) => sequence.predict({ x: itemOf(stream, step) })),
    );
    const stateless = Array.from({ length: 8 }, (_, stream) => model.predict({ x: itemOf(stream, 0) }));
    for (const [stream, steps] of asked.entries()) {
      const expected = alone.stream();
      for (const [step, answer] of steps.entries()) {
        expect((await answer)["y"]!.data).toEqual(await expected.step(itemOf(stream, step)));
      }
      const { state } = await sequences[stream]!.snapshot();
      expect(state!.data).toEqual(expected.state);
      expect(state!.dims).toEqual(dims.filter((_, axis) => axis !== dims.length - 2));
      expect((await stateless[stream]!)["y"]!.data).toEqual(await alone.stream().step(itemOf(stream, 0)));
    }
    expect(model.stats().batchCheck.outcome).toBe("passed");
    expect(model.stats().batchSize.max).toBeGreaterThanOrEqual(8);
  });

  it.each([1, 3, 64])(
    "are restored in a new worker, with a copy of the state every %i steps",
    async (snapshotEvery) => {
      await using opened = await open(name);
      const { model, site } = opened;
      const expected = alone.stream();
      const sequence = model.sequence({ snapshotEvery });
      for (let step = 0; step < 7; step++) {
        const answer = sequence.predict({ x: itemOf(0, step) });
        if (step % 3 === 2) site.started.at(-1)!.fail("it broke");
        expect((await answer)["y"]!.data).toEqual(await expected.step(itemOf(0, step)));
      }
      expect((await sequence.snapshot())["state"]!.data).toEqual(expected.state);
      expect((await sequence.predict({ x: itemOf(0, 7) }))["y"]!.data).toEqual(await expected.step(itemOf(0, 7)));
    },
  );

  it("are whole after a restart, and after the model was unloaded", async () => {
    await using opened = await open(name);
    const { model } = opened;
    const expected = alone.stream();
    const sequence = model.sequence({ snapshotEvery: 3 });
    for (let step = 0; step < 8; step++) {
      if (step === 2) await model.restart();
      if (step === 5) {
        await model.unload();
        void model.restart();
      }
      expect((await sequence.predict({ x: itemOf(5, step) }))["y"]!.data).toEqual(await expected.step(itemOf(5, step)));
    }
  });

  it("start from a snapshot of another, and from it again after a reset", async () => {
    await using opened = await open(name);
    const expected = alone.stream();
    const first = opened.model.sequence();
    const steps = [0, 1, 2].map((step) => first.predict({ x: itemOf(0, step) }));
    const initial = await first.snapshot();
    for (const step of steps.keys()) await expected.step(itemOf(0, step));
    const third = await expected.step(itemOf(0, 3));
    const second = opened.model.sequence({ initial });
    expect((await second.predict({ x: itemOf(0, 3) }))["y"]!.data).toEqual(third);
    second.reset();
    expect((await second.predict({ x: itemOf(0, 3) }))["y"]!.data).toEqual(third);
  });
});

/**
 * Workers in which a run of steps with more than two rows fails when it has succeeded: states have advanced by then.
 */
function failingSite(): ReturnType<typeof hostSite> {
  return channelSite((worker) => {
    const host = new SessionHost((notice) => worker.say(notice));
    const { run } = host;
    const failLate: ServedApi["run"] = async (request) => {
      const sent = await run(request);
      if (!("rows" in request) || request.steps === undefined || request.rows.count < 3) return sent;
      const error = encodeError(new FramebatchError("OUT_OF_MEMORY", "too many"));
      return { reply: { ok: false, error, fatal: false }, transfer: [] };
    };
    return Object.assign(host, { run: failLate });
  });
}

describe("a step that does not succeed", () => {
  it("runs again with fewer others, on the state before it", async () => {
    await using opened = await open("sequence-rows", {}, failingSite());
    const alone = await streamsAlone("sequence-rows", [1, 4]);
    const sequences = Array.from({ length: 6 }, () => opened.model.sequence());
    const asked = sequences.map((sequence, stream) =>
      [0, 1, 2].map((step) => sequence.predict({ x: itemOf(stream, step) })),
    );
    for (const [stream, steps] of asked.entries()) {
      const expected = alone.stream();
      for (const [step, answer] of steps.entries())
        expect((await answer)["y"]!.data).toEqual(await expected.step(itemOf(stream, step)));
    }
    expect(opened.model.stats().batches.failed).toBeGreaterThan(0);
    await alone.release();
  });

  it.each([1, 4])("leaves the state as it was, with a copy every %i steps", async (snapshotEvery) => {
    await using opened = await open("sequence-rows");
    const alone = await streamsAlone("sequence-rows", [1, 4]);
    const expected = alone.stream();
    const sequence = opened.model.sequence({ snapshotEvery });
    const aborts = new AbortController();
    const running = sequence.predict({ x: itemOf(1, 50) }, { signal: aborts.signal });
    const waiting = sequence.predict({ x: itemOf(1, 51) }, { signal: aborts.signal });
    const first = sequence.predict({ x: itemOf(1, 0) });
    opened.model.flush();
    await Promise.resolve();
    aborts.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await expect(waiting).rejects.toThrow("enough");
    expect((await first)["y"]!.data).toEqual(await expected.step(itemOf(1, 0)));
    await expect(sequence.predict({ z: itemOf(1, 1) })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect((await sequence.predict({ x: itemOf(1, 1) }))["y"]!.data).toEqual(await expected.step(itemOf(1, 1)));
    expect((await sequence.snapshot())["state"]!.data).toEqual(expected.state);
    await alone.release();
  });

  it("is not in a snapshot if its caller has left while it ran", async () => {
    await using opened = await open("sequence-rows");
    const { model } = opened;
    const alone = await streamsAlone("sequence-rows", [1, 4]);
    const expected = alone.stream();
    const sequence = model.sequence({ snapshotEvery: 64 });
    for (const step of [0, 1]) {
      await sequence.predict({ x: itemOf(0, step) });
      await expected.step(itemOf(0, step));
    }
    const aborts = new AbortController();
    const left = sequence.predict({ x: itemOf(0, 2) }, { signal: aborts.signal });
    model.flush();
    await expect.poll(() => model.stats().batches.inFlight).toBe(1);
    aborts.abort(new Error("enough"));
    await expect(left).rejects.toThrow("enough");
    await expect.poll(() => model.stats().batches.inFlight).toBe(0);
    expect((await sequence.snapshot())["state"]!.data).toEqual(expected.state);
    expect((await sequence.predict({ x: itemOf(0, 3) }))["y"]!.data).toEqual(await expected.step(itemOf(0, 3)));
    await alone.release();
  });

  it("is dropped for a newer one, and the state goes on", async () => {
    await using opened = await open("sequence-rows");
    const alone = await streamsAlone("sequence-rows", [1, 4]);
    const sequence = opened.model.sequence({ overflow: "drop-oldest", maxQueueSize: 2 });
    const asked = await Promise.allSettled([0, 1, 2, 3, 4].map((step) => sequence.predict({ x: itemOf(2, step) })));
    expect(asked.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled", "fulfilled"]);
    expect(asked[1]).toMatchObject({ reason: { code: "OVERLOADED", details: { maxQueueSize: 2 } } });
    const expected = alone.stream();
    for (const step of [0, 3, 4]) await expected.step(itemOf(2, step));
    expect((await sequence.snapshot())["state"]!.data).toEqual(expected.state);
    await alone.release();
  });

  it("is rejected if too many wait", async () => {
    await using opened = await open("sequence-rows");
    const sequence = opened.model.sequence({ maxQueueSize: 1 });
    const asked = [0, 1, 2].map((step) => sequence.predict({ x: itemOf(2, step) }));
    const ends = await Promise.allSettled(asked);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(ends[2]).toMatchObject({ reason: { code: "OVERLOADED" } });
  });
});

describe("a sequence", () => {
  it("has several states of several types, and takes some of them from the start", async () => {
    const recurrent = { state: "stateN", length: "lengthN" };
    await using opened = await open("sequence-two-states", { recurrent, batchAxis: { state: 1, stateN: 1 } });
    const sequences = [opened.model.sequence(), opened.model.sequence({ initial: { length: [41n] } })];
    const asked = sequences.map((sequence) => [1, 2, 3].map(() => sequence.predict({ x: [0, 0, 0, 0] })));
    const answers = await Promise.all(asked.map((steps) => Promise.all(steps)));
    expect(answers.map((steps) => steps.map(({ y }) => y!.data[0]))).toEqual([
      [1, 2, 3],
      [42, 43, 44],
    ]);
    const { length, state } = await sequences[1]!.snapshot();
    expect(length).toEqual({ type: "int64", dims: [], data: BigInt64Array.of(44n) });
    expect(state).toEqual({ type: "float32", dims: [2, 4], data: new Float32Array(8) });
  });

  it("streams a source, and ends with its error", async () => {
    await using opened = await open("sequence-rows");
    const alone = await streamsAlone("sequence-rows", [1, 4]);
    const expected = alone.stream();
    const sequence = opened.model.sequence();
    let step = 0;
    for await (const { y } of sequence.predictStream([0, 1, 2, 3].map((index) => ({ x: itemOf(3, index) })))) {
      expect(y!.data).toEqual(await expected.step(itemOf(3, step++)));
    }
    expect(step).toBe(4);
    await sequence.dispose();
    await expect(sequence.predictStream([]).next()).rejects.toMatchObject({ code: "DISPOSED" });
    await alone.release();
  });

  it("is a stage of a pipeline", async () => {
    await using opened = await open("sequence-rows");
    const alone = await streamsAlone("sequence-rows", [1, 4]);
    const expected = alone.stream();
    const pipeline = createPipeline<number>()
      .stage((step) => ({ x: itemOf(4, step) }))
      .stage(opened.model.sequence())
      .stage(({ y }) => y!.data);
    for (const step of [0, 1, 2]) expect(await pipeline.run(step)).toEqual(await expected.step(itemOf(4, step)));
    await alone.release();
  });

  it("keeps the steps of a pipeline's stream in order while others fill the queue of the model", async () => {
    await using opened = await open("sequence-rows", { maxQueueSize: 4 });
    const { model } = opened;
    const alone = await streamsAlone("sequence-rows", [1, 4]);
    const expected = alone.stream();
    const over = new AbortController();
    const others = (async () => {
      while (!over.signal.aborted)
        await Promise.allSettled(Array.from({ length: 6 }, () => model.predict({ x: itemOf(9, 0) })));
    })();
    const pipeline = createPipeline<Float32Array>().stage(model, {
      sequence: true,
      toItem: (x) => ({ x }),
      toResult: ({ y }) => y!.data,
    });
    const items = Array.from({ length: 12 }, (_, step) => itemOf(4, step));
    const answers: unknown[] = [];
    try {
      for await (const answer of pipeline.runStream(items)) answers.push(answer);
    } finally {
      over.abort();
      await others;
    }
    expect(answers).toHaveLength(items.length);
    for (const [step, item] of items.entries()) expect(answers[step]).toEqual(await expected.step(item));
    await alone.release();
  });

  it("rejects open and later calls after dispose, and those of its model", async () => {
    await using opened = await open("sequence-rows");
    const sequence = opened.model.sequence();
    const open1 = [0, 1].map((step) => sequence.predict({ x: itemOf(0, step) }));
    const snapshot = sequence.snapshot();
    await sequence.dispose();
    for (const call of [...open1, snapshot, sequence.predict({ x: itemOf(0, 2) }), sequence.snapshot()]) {
      await expect(call).rejects.toMatchObject({ code: "DISPOSED" });
    }
    const other = opened.model.sequence();
    const steps = [0, 1].map((step) => other.predict({ x: itemOf(0, step) }));
    await opened.model.dispose();
    for (const step of steps) await expect(step).rejects.toMatchObject({ code: "DISPOSED" });
  });

  it("refuses wrong options and a key", async () => {
    await using opened = await open("sequence-rows");
    const { model } = opened;
    const wrong: readonly (readonly [object, string])[] = [
      [{ idleMS: 5 }, 'idleMS: expected an option that exists, got an unknown one; did you mean "idleMs"?'],
      [{ idleMs: 0 }, "idleMs: expected a number of milliseconds above 0"],
      [{ overflow: "drop" }, 'overflow: expected "wait" or "drop-oldest"'],
      [{ maxQueueSize: 0 }, "maxQueueSize: expected a whole number"],
      [{ initial: { state: [1] } }, "initial: "],
      [{ initial: { other: [1] } }, "initial: "],
    ];
    for (const [options, message] of wrong) expect(() => model.sequence(options)).toThrow(message);
    const keyed = { key: "a", timeoutMs: 1000 };
    await expect(model.sequence().predict({ x: itemOf(0, 0) }, keyed)).rejects.toThrow("key: expected no key");
  });
});

it("a model without states starts no sequence", async () => {
  const source = keepSource(generateModel("mlp-small").bytes);
  await using model = await createModelAt({ site: hostSite(), share: null }, source, { cache: false });
  expect(() => model.sequence()).toThrow("recurrent: expected the states of the model");
});
