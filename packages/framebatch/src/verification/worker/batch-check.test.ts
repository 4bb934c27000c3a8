import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { UNREADABLE } from "../../worker/graph/graph-reading.js";
import { checkGenerated, checkItems, type CheckSubject } from "./batch-check.js";
import type { RunFeeds, Tensors } from "./check-runs.js";
import { withSubject, type SubjectOptions } from "../../../test/support/subject-of.js";

interface Options extends SubjectOptions {
  readonly most?: number;
  /** Whether the check reads the graph. */
  readonly isRead?: boolean;
  /** Replaces the outputs of a run. Runs are numbered from 1. */
  readonly spoil?: (run: number, outputs: Tensors) => Tensors;
}

/** The number of rows of each run. */
type Runs = number[];

function spied({ signature }: CheckSubject, runs: Runs, run: RunFeeds, spoil: Options["spoil"]): RunFeeds {
  return async (feeds) => {
    const [input] = signature.inputs;
    runs.push(feeds[input?.name ?? ""]?.dims[input?.batchAxis ?? 0] ?? 0);
    const outputs = await run(feeds);
    return spoil === undefined ? outputs : spoil(runs.length, outputs);
  };
}

function check(name: string, { most, isRead = false, spoil, ...options }: Options = {}) {
  return withSubject(
    generateModel(name).bytes,
    async (subject) => {
      const runs: Runs = [];
      const finding = await checkGenerated({
        ...subject,
        ...(most !== undefined && { most, wide: most }),
        ...(!isRead && { graph: UNREADABLE }),
        runAlone: spied(subject, runs, subject.runAlone, spoil),
        runBatch: spied(subject, runs, subject.runBatch, spoil),
      });
      return { ...finding, runs };
    },
    options,
  );
}

beforeAll(() => {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "fatal";
});

describe("the batch check", () => {
  it("runs each item alone, all together, each with other batch-mates, and large batches", async () => {
    expect(await check("mlp-small")).toEqual({
      outcome: "passed",
      reason: "generated items answer the same alone and in batches, whatever shares the batch",
      runs: [1, 1, 1, 1, 4, 4, 4, 4, 4, 16, 16],
    });
    expect(await check("mlp-small", { most: 2 })).toMatchObject({ outcome: "passed", runs: [1, 1, 2, 2, 2] });
  });

  it.each([
    "affine-float16",
    "affine-int64",
    "affine-uint8",
    "not-bool",
    "identity-string",
    "inner-batch-axis",
    "recurrent",
    "several-outputs",
    "two-dynamic-dims",
    "fails-on-marked-row",
  ])("passes %s", async (name) => {
    expect(await check(name)).toMatchObject({ outcome: "passed" });
  });

  it("makes several steps of a model with states, and compares the states too", async () => {
    const recurrent = { state: "stateN" };
    const late = await check("sequence-mixes-late", { recurrent, isRead: false });
    expect(late.outcome).toBe("failed");
    expect(late.reason).toContain('output "y" at step "2": expected');
    expect(await check("sequence-mixes-late")).not.toMatchObject({ outcome: "failed" });
    const silero = await check("recurrent", { recurrent, batchAxis: { state: 1, stateN: 1, sr: null } });
    expect(silero).toMatchObject({ outcome: "passed" });
    expect(silero.runs).toHaveLength(3 * 11);
  });

  it("runs a model with a fixed batch with that many rows, alone and together", async () => {
    expect(await check("mlp-fixed-4")).toMatchObject({ outcome: "passed", runs: [4, 4, 4, 4, 4, 4, 4, 4, 4] });
  });

  it("finds rows that change each other's results, and repeats both batches for confirmation", async () => {
    const { outcome, reason, runs } = await check("mixes-rows");
    expect(outcome).toBe("failed");
    expect(reason).toContain('the answers of generated items change with what else is in the batch: output "y"');
    expect(runs).toEqual([1, 1, 1, 1, 4, 4, 4, 4]);
  });

  it.each([
    ["whole-places", "detections", "inconclusive", 'output "detections" is empty for all of them'],
    ["whole-mean", "mean", "failed", 'output "mean"'],
    ["whole-constant", "classes", "passed", "answer the same"],
  ])(
    "compares an output that items share by numbers if the graph is not read: %s",
    async (name, output, outcome, why) => {
      const found = await check(name, { batchAxis: { [output]: null } });
      expect(found).toMatchObject({ outcome, reason: expect.stringContaining(why) });
    },
  );

  it("runs nothing if the graph proves that rows mix", async () => {
    expect(await check("mixes-rows", { isRead: true })).toEqual({
      outcome: "failed",
      reason: 'the model works across the batch: ReduceMean "ReduceMean_0"',
      isMixing: true,
      runs: [],
    });
  });

  it("finds a batch that does not run although its items do", async () => {
    const { outcome, reason } = await check("literal-batch");
    expect(outcome).toBe("failed");
    expect(reason).toContain("could not be run");
  });

  it("finds padding that changes a result", async () => {
    expect(await check("two-dynamic-dims", { padding: { image: {} } })).toMatchObject({ outcome: "failed" });
    expect(await check("last-step", { padding: { seq: {} } })).toMatchObject({ outcome: "failed" });
    expect(await check("last-step", { padding: { seq: { side: "left" } } })).toMatchObject({
      outcome: "passed",
      reason: expect.stringContaining("padded and not"),
    });
  });

  it("compares padded items with unpadded items if the maximum batch size is 1", async () => {
    const padding = { seq: { buckets: [8] } };
    expect(await check("last-step", { padding, most: 1 })).toMatchObject({ outcome: "failed" });
    expect(await check("variable-length", { padding, most: 1 })).toMatchObject({
      outcome: "passed",
      runs: [1, 1, 1, 1],
    });
    expect(await check("mlp-small", { most: 1 })).toMatchObject({ outcome: "inconclusive", runs: [] });
  });

  it("compares items of a size that the model rejects at the size of their bucket", async () => {
    const padding = { audio: { buckets: [400, 800], value: -1000 } };
    expect(await check("windows-of-400", { padding })).toMatchObject({ outcome: "passed" });
    expect(await check("windows-of-400", { padding: { audio: { buckets: [300] } } })).toMatchObject({
      outcome: "inconclusive",
    });
  });

  it.each([
    ["pixelwise", { image: {} }],
    ["variable-length", { seq: { buckets: [8, 16] } }],
    ["masked-mean", { seq: { mask: "mask", value: 9 } }],
    ["masked-mean", { seq: { side: "left", multipleOf: 8, mask: "mask", value: 9 } }],
    ["text-encoder", { ids: { mask: "mask" } }],
  ] as const)("passes %s with its padding", async (name, padding) => {
    expect(await check(name, { padding })).toMatchObject({ outcome: "passed" });
  });

  it("passes if a single result differs for one draw but not for the next, because ties flip", async () => {
    const flipOnce: Options["spoil"] = (run, outputs) => (run === 1 ? ones() : outputs);
    expect(await check("mlp-small", { spoil: flipOnce })).toMatchObject({ outcome: "passed" });
  });

  it("is inconclusive if the same batch gives different results each time", async () => {
    const noise: Options["spoil"] = (run, outputs) => withNumbers(outputs, run);
    const { outcome, reason } = await check("mlp-small", { spoil: noise });
    expect(outcome).toBe("inconclusive");
    expect(reason).toContain("the same batch is answered otherwise each time");
  });

  it("defect 14: is inconclusive if all items give the same result", async () => {
    expect(await check("ignores-input")).toMatchObject({
      outcome: "inconclusive",
      reason: 'generated items tell nothing: output "y" is alike for all of them',
    });
  });

  it("defect 14: is inconclusive if no result is a number", async () => {
    const finding = await check("mlp-small", { spoil: (_, outputs) => withNumbers(outputs, NaN) });
    expect(finding).toMatchObject({ outcome: "inconclusive", reason: expect.stringContaining("holds no number") });
  });

  it("defect 14: is inconclusive if generated items do not run", async () => {
    const { outcome, reason } = await check("mlp-small", {
      spoil: () => {
        throw new Error("wants real data");
      },
    });
    expect(outcome).toBe("inconclusive");
    expect(reason).toContain("wants real data");
  });

  it("does not compare an output that all items share", async () => {
    const batchAxis = { classes: null };
    expect(await check("shared-output", { batchAxis })).toMatchObject({ outcome: "passed" });
  });

  it("ends when a run has crashed the worker", async () => {
    const trap = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    const error = { code: "WORKER_CRASHED", message: "ONNX Runtime broke down: unreachable" };
    await expect(check("mlp-small", { spoil: trap })).rejects.toMatchObject(error);
  });
});

describe("the check of a caller's items", () => {
  const items = (...values: number[]) => values.map((value) => ({ x: float32([value, 1, 2, 3]) }));

  const silence = { x: float32([0, 0, 0, 0]) };

  function checkThese(name: string, given: readonly Readonly<Record<string, Tensor>>[], options: SubjectOptions = {}) {
    return withSubject(
      generateModel(name).bytes,
      async (subject) => {
        const runs: Runs = [];
        const runBatch = spied(subject, runs, subject.runBatch, undefined);
        const graph = UNREADABLE;
        return { ...(await checkItems({ ...subject, runBatch, graph }, given)), runs };
      },
      options,
    );
  }

  it("exchanges the batch-mates of two items with each other, and of more items with further items", async () => {
    const reason = "items answer the same alone and in batches, whatever shares the batch";
    expect(await checkThese("affine-float32", items(1, 2))).toEqual({
      outcome: "passed",
      reason,
      runs: [2, 2, 2, 16, 16],
    });
    expect(await checkThese("affine-float32", items(1, 2, 3))).toMatchObject({
      outcome: "passed",
      runs: [2, 2, 2, 16, 16],
    });
    expect(await checkThese("affine-float32", items(1, 2, 3, 4, 5, 6))).toMatchObject({ runs: [3, 3, 3, 3, 16, 16] });
  });

  it("finds rows that mix", async () => {
    expect(await checkThese("mixes-rows", items(1, 2))).toMatchObject({ outcome: "failed" });
  });

  it("finds rows that mix only beside a much louder one, although all items are quiet", async () => {
    const { outcome } = await checkThese("mixing-threshold-of-largest", [0.1, 0.2].map(eight));
    expect(outcome).toBe("failed");
  });

  it("confirms a difference from single items with further items, if there are any", async () => {
    expect(await checkThese("mixing-batch-size", [1, 2, 3, 4].map(eight))).toMatchObject({ outcome: "failed" });
    expect(await checkThese("mixing-batch-size", [1, 2].map(eight))).toMatchObject({ outcome: "inconclusive" });
  });

  it("is inconclusive with one item, with silent items, or with items that do not run", async () => {
    expect(await checkThese("mixes-rows", items(1))).toMatchObject({ outcome: "inconclusive", runs: [] });
    expect(await checkThese("affine-float32", [silence, silence])).toMatchObject({
      outcome: "inconclusive",
      reason: 'items tell nothing: output "y" is alike for all of them',
    });
    const ids = [99, 1].map((id) => ({
      id: { type: "int64" as const, dims: [1], data: BigInt64Array.of(BigInt(id)) },
    }));
    expect(await checkThese("fails-on-marked-row", ids)).toMatchObject({
      outcome: "inconclusive",
      reason: expect.stringContaining("items do not run"),
    });
  });

  it("compares the items that can share a batch with the first", async () => {
    const sounds = [3, 4].map((length) => ({ seq: float32(Array.from({ length }, (_, index) => index + length)) }));
    expect(await checkThese("variable-length", sounds)).toMatchObject({ outcome: "inconclusive" });
    expect(await checkThese("variable-length", sounds, { padding: { seq: {} } })).toMatchObject({ outcome: "passed" });
  });
});

function float32(values: readonly number[]): Tensor {
  return { type: "float32", dims: [values.length], data: Float32Array.from(values) };
}

function eight(value: number): { readonly x: Tensor } {
  return { x: float32(Array.from({ length: 8 }, (_, index) => value + index)) };
}

/** A result of `mlp-small` for one row. */
function ones(): Tensors {
  return { y: { type: "float32", dims: [1, 4], data: new Float32Array(4).fill(1) } };
}

function withNumbers(outputs: Tensors, value: number): Tensors {
  const numbers = Object.entries(outputs).map(([name, { dims, data }]): [string, Tensor] => [
    name,
    { type: "float32", dims, data: new Float32Array(data.length).fill(value) },
  ]);
  return Object.fromEntries(numbers);
}
