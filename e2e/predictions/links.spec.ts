import { buffersOf, countBuffers } from "../support/pages/device-buffers.js";
import { expect, LONG, test } from "../support/test.js";

/** Vectors of 8 become vectors of 4, which become others twice. */
const CHAIN = ["/models/mlp-small.onnx", "/models/affine-float32.onnx", "/models/affine-float32.onnx"];

test("linked stages give the bits of unlinked ones, and their tensors stay where they are", async ({
  harness,
  provider,
}) => {
  await countBuffers(harness);
  const { got, expected, sentBytes, stats } = await harness.evaluate(
    async ({ urls, providers }) => {
      const { createBatchedModel, createModelGroup, createPipeline } = window.harness;
      const group = createModelGroup({ executionProviders: providers });
      const checked = { group, verify: { budgetMs: 600_000 } };
      const [first, second, third] = await Promise.all(urls.map((url) => createBatchedModel(url, checked)));
      if (!first || !second || !third) throw new Error("expected three models");
      const linked = createPipeline<Float32Array>()
        .stage(first)
        .stage(second, { inputs: { x: "y" } })
        .stage(third, { inputs: { x: "y" } });
      const unlinked = createPipeline<Float32Array>()
        .stage(first)
        .stage(({ y }) => y!)
        .stage(second)
        .stage(({ y }) => y!)
        .stage(third);
      const items = Array.from({ length: 60 }, (_, row) =>
        Float32Array.from({ length: 8 }, (__, i) => Math.sin(row * 8 + i)),
      );
      const bits = (outputs: readonly { readonly y?: { readonly data: object } }[]) =>
        outputs.map(({ y }) => (y!.data instanceof Float32Array ? new Uint32Array(y!.data.buffer).join() : "other"));
      const all = async (pipeline: typeof linked) => {
        const runs = await Promise.all(items.map((item) => pipeline.run(item)));
        const streamed = [];
        for await (const outputs of pipeline.runStream(items)) streamed.push(outputs);
        return bits([...runs, ...streamed]);
      };
      const plain = await all(unlinked);
      let bytes = 0;
      const native = Object.getOwnPropertyDescriptor(MessagePort.prototype, "postMessage")!;
      const sizeOf = (value: unknown): number => {
        if (ArrayBuffer.isView(value)) return value.byteLength;
        if (typeof value !== "object" || value === null) return 0;
        return Object.values(value).reduce((sum: number, each) => sum + sizeOf(each), 0);
      };
      MessagePort.prototype.postMessage = function (message: unknown, options?: object) {
        bytes += sizeOf(message);
        return Reflect.apply(native.value, this, [message, options]);
      };
      const answers = await all(linked);
      Object.defineProperty(MessagePort.prototype, "postMessage", native);
      await new Promise((resolve) => setTimeout(resolve));
      return { got: answers, expected: plain, sentBytes: bytes, stats: group.stats() };
    },
    { urls: CHAIN, providers: [provider] },
  );
  expect(got).toEqual(expected);
  // Only the items of the first stage leave the page.
  expect(sentBytes).toBe(120 * 8 * 4);
  expect(stats.keptBytes).toBe(0);
  const { alive, made } = await buffersOf(harness);
  expect(alive).toBe(0);
  expect(made > 0).toBe(provider === "webgpu");
});

test(
  "under aborts and lost workers, every linked run that is not aborted has its answer, and nothing is left",
  { tag: LONG },
  async ({ harness, provider }) => {
    await countBuffers(harness);
    const { wrong, answered, aborted, failures, keptBytes, deaths } = await harness.evaluate(
      async ({ urls, providers }) => {
        const { createBatchedModel, createModelGroup, createPipeline } = window.harness;
        const { started, stop } = window.harness.watchWorkers();
        const group = createModelGroup({ executionProviders: providers });
        const models = await Promise.all(urls.map((url) => createBatchedModel(url, { group })));
        const [first, second, third] = models;
        if (!first || !second || !third) throw new Error("expected three models");
        const linked = createPipeline<Float32Array>()
          .stage(first)
          .stage(second, { inputs: { x: "y" } })
          .stage(third, { inputs: { x: "y" } });
        const items = Array.from({ length: 300 }, (_, row) =>
          Float32Array.from({ length: 8 }, (__, i) => Math.sin(row * 8 + i)),
        );
        const expectedOf = async (item: Float32Array) => {
          const { y: a } = await first.predict(item);
          const { y: b } = await second.predict(a!);
          return (await third.predict(b!)).y!.data.join();
        };
        const right = await Promise.all(items.map(expectedOf));
        const counts = { wrong: 0, answered: 0, aborted: 0, deaths: 0 };
        const failed: string[] = [];
        const run = async (item: Float32Array, index: number) => {
          const controller = new AbortController();
          const reason = new Error("aborted");
          if (index % 4 === 1) setTimeout(() => controller.abort(reason), index % 23);
          try {
            const { y } = await linked.run(item, { signal: controller.signal });
            counts.answered += 1;
            if (y!.data.join() !== right[index]) counts.wrong += 1;
          } catch (error) {
            if (error === reason) counts.aborted += 1;
            else failed.push(String(error));
          }
        };
        for (let start = 0; start < items.length; start += 100) {
          const runs = items.slice(start, start + 100).map((item, index) => run(item, start + index));
          // In the midst of the runs.
          await Promise.race(runs);
          started.at(-1)!.dispatchEvent(new ErrorEvent("error", { message: "broken on purpose" }));
          counts.deaths += 1;
          await Promise.all(runs);
        }
        stop();
        while (group.stats().keptBytes > 0) await new Promise((resolve) => setTimeout(resolve));
        return { ...counts, failures: failed, keptBytes: group.stats().keptBytes };
      },
      { urls: CHAIN, providers: [provider] },
    );
    expect(failures).toEqual([]);
    expect({ wrong, keptBytes, deaths }).toEqual({ wrong: 0, keptBytes: 0, deaths: 3 });
    expect(answered + aborted).toBe(300);
    expect(answered).toBeGreaterThanOrEqual(225);
    await expect.poll(async () => (await buffersOf(harness)).alive).toBe(0);
  },
);

test(
  "a handle is read by several models, and ends with dispose or with its worker",
  { tag: LONG },
  async ({ harness, provider }) => {
    await countBuffers(harness);
    const result = await harness.evaluate(
      async ({ urls, providers }) => {
        const { createBatchedModel, createModelGroup, failureOf } = window.harness;
        const { started, stop } = window.harness.watchWorkers();
        const group = createModelGroup({ executionProviders: providers, maxKeptBytes: 32 });
        const [first, second] = await Promise.all(urls.map((url) => createBatchedModel(url, { group })));
        const apart = await createBatchedModel(urls[1]!, { group: createModelGroup({ executionProviders: ["wasm"] }) });
        if (!first || !second) throw new Error("expected models");
        const item = Float32Array.from({ length: 8 }, (_, i) => i);
        const { y: plain } = await first.predict(item);
        const expected = (await second.predict(plain!)).y!.data.join();
        const { y } = await first.predict(item, { keepOnDevice: ["y"] });
        const about = { type: y.type, dims: [...y.dims], hasData: "data" in y, bytes: group.stats().keptBytes };
        const reads = await Promise.all([second.predict({ x: y }), second.predict(y), second.predict({ x: y })]);
        // A batch with rows of both kinds.
        const mixed = await Promise.all([second.predict(y), second.predict(plain!), second.predict(y)]);
        const other = await first.predict(item, { keepOnDevice: ["y"] });
        const full = await failureOf(first.predict(item, { keepOnDevice: ["y"] }));
        const foreign = await failureOf(apart.predict(y));
        const misfit = await failureOf(first.predict(y));
        const unknown = await failureOf(first.predict(item, { keepOnDevice: ["z"] }));
        const open = second.predict(y);
        y.dispose();
        y.dispose();
        const late = (await open).y!.data.join();
        const disposed = await failureOf(second.predict(y));
        started[0]!.dispatchEvent(new ErrorEvent("error", { message: "broken on purpose" }));
        const lost = await failureOf(second.predict(other.y));
        other.y.dispose();
        const again = await first.predict(item, { keepOnDevice: ["y"] });
        const after = (await second.predict(again.y)).y!.data.join();
        again.y.dispose();
        stop();
        while (group.stats().keptBytes > 0) await new Promise((resolve) => setTimeout(resolve));
        return {
          expected,
          about,
          answers: [...reads, ...mixed].map((outputs) => outputs.y!.data.join()).concat(late, after),
          failures: { full, foreign, misfit, unknown, disposed, lost },
          left: group.stats().keptBytes,
        };
      },
      { urls: CHAIN, providers: [provider] },
    );
    expect(result.about).toEqual({ type: "float32", dims: [4], hasData: false, bytes: 16 });
    expect(result.answers).toEqual(Array.from({ length: 8 }, () => result.expected));
    expect(result.failures).toMatchObject({
      full: { code: "OVERLOADED" },
      foreign: { code: "INVALID_INPUT" },
      misfit: { code: "INVALID_INPUT" },
      unknown: { code: "INVALID_OPTION" },
      disposed: { code: "DISPOSED" },
      lost: { code: "DEVICE_LOST" },
    });
    expect(result.left).toBe(0);
    expect((await buffersOf(harness)).alive).toBe(0);
  },
);

test(
  "a tensor is read back while the check of the model that reads it is open",
  { tag: LONG },
  async ({ harness, provider }) => {
    const { got, expected, outcomes } = await harness.evaluate(
      async ({ urls, providers }) => {
        const { createBatchedModel, createModelGroup } = window.harness;
        const group = createModelGroup({ executionProviders: providers });
        const first = await createBatchedModel(urls[0]!, { group, verify: { budgetMs: 600_000 } });
        const item = Float32Array.from({ length: 8 }, (_, i) => Math.sin(i));
        const { y } = await first.predict(item, { keepOnDevice: ["y"] });
        // Its check goes on after the model is ready.
        const second = await createBatchedModel(urls[1]!, { group, cache: false, verify: { budgetMs: 0 } });
        const outcome = () => second.stats().batchCheck.outcome;
        const before = outcome();
        const read = (await second.predict({ x: y })).y!.data.join();
        const plain = (await second.predict((await first.predict(item)).y!)).y!.data.join();
        return { got: read, expected: plain, outcomes: [before, outcome()] };
      },
      { urls: CHAIN, providers: [provider] },
    );
    expect(outcomes[0]).toBe("inconclusive");
    expect(got).toBe(expected);
  },
);

test(
  "tensors that are padded, or whose batch axis is not the first, are read back and stacked",
  { tag: LONG },
  async ({ harness, provider }) => {
    const { got, expected, left } = await harness.evaluate(
      async (providers) => {
        const { createBatchedModel, createModelGroup, createPipeline } = window.harness;
        const group = createModelGroup({ executionProviders: providers });
        const open = (url: string, options: object = {}) =>
          createBatchedModel(url, { group, verify: { budgetMs: 600_000 }, ...options });
        const padding = { seq: { value: 0, buckets: [8, 16] } };
        const lengths = [
          await open("/models/variable-length.onnx"),
          await open("/models/variable-length.onnx", { padding }),
        ];
        const inner = [await open("/models/inner-batch-axis.onnx"), await open("/models/inner-batch-axis.onnx")];
        const texts = createPipeline<Float32Array>()
          .stage(lengths[0]!)
          .stage(lengths[1]!, { inputs: { seq: "y" } });
        const states = createPipeline<Float32Array>()
          .stage(inner[0]!)
          .stage(inner[1]!, { inputs: { state: "next_state" } });
        const sequences = Array.from({ length: 24 }, (_, row) =>
          Float32Array.from({ length: 1 + (row % 7) }, (__, i) => row + i),
        );
        const squares = Array.from({ length: 24 }, (_, row) => Float32Array.from({ length: 16 }, (__, i) => row - i));
        const linked = [
          ...(await Promise.all(sequences.map((item) => texts.run(item)))),
          ...(await Promise.all(squares.map((item) => states.run(item)))),
        ];
        const plain = [
          ...(await Promise.all(
            sequences.map(async (item) => lengths[1]!.predict((await lengths[0]!.predict(item)).y!)),
          )),
          ...(await Promise.all(
            squares.map(async (item) => inner[1]!.predict((await inner[0]!.predict(item)).next_state!)),
          )),
        ];
        const shown = (outputs: typeof plain) =>
          outputs.map((each) =>
            Object.values(each)
              .map(({ dims, data }) => `${dims.join("x")}:${data.join()}`)
              .join(),
          );
        await new Promise((resolve) => setTimeout(resolve));
        return { got: shown(linked), expected: shown(plain), left: group.stats().keptBytes };
      },
      [provider],
    );
    expect(got).toEqual(expected);
    expect(left).toBe(0);
  },
);

test("links of wrong names, types and dims are refused at once", { tag: LONG }, async ({ harness }) => {
  const messages = await harness.evaluate(
    async (urls) => {
      const { createBatchedModel, createModelGroup, createPipeline } = window.harness;
      const group = createModelGroup({ executionProviders: ["wasm"] });
      const open = (url: string) => createBatchedModel(url, { group });
      const [small, affine, whole] = await Promise.all(urls.map(open));
      if (!small || !affine || !whole) throw new Error("expected models");
      const refusal = (build: () => unknown) => {
        try {
          build();
          return "none";
        } catch (error) {
          return String(error);
        }
      };
      const from = createPipeline<Float32Array>().stage(small);
      return [
        refusal(() => from.stage(affine, { inputs: { xx: "y" } })),
        refusal(() => from.stage(affine, { inputs: { x: "yy" } })),
        refusal(() => from.stage(whole, { inputs: { x: "y" } })),
        refusal(() => from.stage(small, { inputs: { x: "y" } })),
        refusal(() => from.stage(affine, { inputs: {} })),
        await from
          .stage(({ y }): Readonly<Record<string, NonNullable<typeof y>>> => ({ z: y! }))
          .stage(affine, { inputs: { x: "y" } })
          .run(new Float32Array(8))
          .catch(String),
      ];
    },
    ["/models/mlp-small.onnx", "/models/affine-float32.onnx", "/models/affine-int64.onnx"],
  );
  expect(messages).toEqual([
    'FramebatchError: inputs: expected inputs of the model ("x"), got "xx"; name one of these, or remove it',
    'FramebatchError: inputs["x"]: expected outputs of the stage before ("y"), got "yy"; name one of these, or remove it',
    'FramebatchError: inputs["x"]: expected an output of int64, got float32: "y" does not fit "x"; put a function between the stages',
    'FramebatchError: inputs["x"]: expected an output of dims [8], got [4]: "y" does not fit "x"; put a function between the stages',
    expect.stringContaining("inputs: expected outputs of the stage before, by the inputs of the stage, got"),
    expect.stringContaining('inputs["x"]: expected the stage before to return "y", got "z"'),
  ]);
});
