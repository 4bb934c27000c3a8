import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { resolveSignature } from "../src/core/model-axes.js";
import type { BatchAxisOverrides } from "../src/core/model-signature.js";
import { planPadding, type PaddingByInput } from "../src/core/padding-plan.js";
import { checkGenerated } from "../src/worker/batch-check.js";
import { readGraph } from "../src/worker/graph-reading.js";
import type { RunFeeds } from "../src/worker/row-runs.js";
import { fromOutputs, toFeeds } from "../src/worker/tensor-bridge.js";

interface Options {
  readonly batchAxis?: BatchAxisOverrides;
  readonly padding?: PaddingByInput;
  readonly count?: number;
  /** What comes of a run, by its number. */
  readonly spoil?: (run: number, outputs: Awaited<ReturnType<RunFeeds>>) => Awaited<ReturnType<RunFeeds>>;
}

async function check(name: string, { batchAxis = {}, padding = {}, count = 4, spoil }: Options = {}) {
  const session = await ort.InferenceSession.create(generateModel(name).bytes);
  const signature = resolveSignature(session.inputMetadata, session.outputMetadata, batchAxis);
  const rows: number[] = [];
  const run: RunFeeds = async (feeds) => {
    const [input] = signature.inputs;
    rows.push(feeds[input?.name ?? ""]?.dims[input?.batchAxis ?? 0] ?? 0);
    const outputs = fromOutputs(await session.run(toFeeds(ort, feeds)));
    return spoil === undefined ? outputs : spoil(rows.length, outputs);
  };
  const subject = {
    signature,
    padding: planPadding(signature, padding),
    provider: "wasm" as const,
    guesses: [16, 64, 1],
    graph: readGraph(generateModel(name).bytes, signature),
  };
  const finding = await checkGenerated(
    { ...subject, most: signature.fixedBatch ?? 64, runAlone: run, runBatch: run },
    count,
  );
  await session.release();
  return { ...finding, rows };
}

beforeAll(() => {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "fatal";
});

describe("the check of batches", () => {
  it("runs each item alone, all together, and each among others", async () => {
    const { outcome, reason, rows } = await check("mlp-small");
    expect(outcome).toBe("passed");
    expect(reason).toBe("made-up items answer the same alone and in batches, whatever shares the batch");
    expect(rows).toEqual([1, 1, 1, 1, 4, 4, 4, 4, 4]);
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
  ])("lets %s pass", async (name) => {
    expect(await check(name)).toMatchObject({ outcome: "passed", reason: expect.not.stringContaining("but") });
  });

  it("gives a model with a fixed batch as many rows as it wants, alone and together", async () => {
    expect(await check("mlp-fixed-4")).toMatchObject({ outcome: "passed", rows: Array(9).fill(4) });
  });

  it("finds rows that change each other's answers, and needs no second draw", async () => {
    const { outcome, reason, rows } = await check("mixes-rows");
    expect(outcome).toBe("failed");
    expect(reason).toContain("the answers of made-up items change with what else is in the batch");
    expect(rows).toHaveLength(8);
  });

  it("finds a batch that does not run though its items do", async () => {
    const { outcome, reason } = await check("literal-batch");
    expect(outcome).toBe("failed");
    expect(reason).toContain("could not be run");
  });

  it("finds padding that changes an answer", async () => {
    expect(await check("two-dynamic-dims", { padding: { image: {} } })).toMatchObject({ outcome: "failed" });
    expect(await check("last-step", { padding: { seq: {} } })).toMatchObject({ outcome: "failed" });
    expect(await check("last-step", { padding: { seq: { side: "left" } } })).toMatchObject({
      outcome: "passed",
      reason: expect.stringContaining("padded and not"),
    });
  });

  it.each([
    ["pixelwise", { image: {} }],
    ["variable-length", { seq: { buckets: [8, 16] } }],
    ["masked-mean", { seq: { mask: "mask", value: 9 } }],
    ["masked-mean", { seq: { side: "left", multipleOf: 8, mask: "mask", value: 9 } }],
    ["text-encoder", { ids: { mask: "mask" } }],
  ] as const)("lets %s pass with its padding", async (name, padding) => {
    expect(await check(name, { padding })).toMatchObject({ outcome: "passed" });
  });

  it("lets an answer that flips once pass, since ties do", async () => {
    const flipOnce: Options["spoil"] = (run, outputs) =>
      run === 5 ? { y: { type: "float32", dims: [4, 4], data: new Float32Array(16) } } : outputs;
    expect(await check("mlp-small", { spoil: flipOnce })).toMatchObject({ outcome: "passed" });
  });

  it("says so where the answers tell nothing", async () => {
    const { outcome, reason } = await check("ignores-input");
    expect(outcome).toBe("inconclusive");
    expect(reason).toContain('output "y" is alike for all of them');
  });

  it("proves nothing where made-up items do not run at all", async () => {
    const { outcome, reason } = await check("mlp-small", {
      spoil: () => {
        throw new Error("wants real data");
      },
    });
    expect(outcome).toBe("inconclusive");
    expect(reason).toContain("wants real data");
  });

  it("ends where a run has ended the worker", async () => {
    const trap = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    await expect(check("mlp-small", { spoil: trap })).rejects.toThrow("unreachable");
  });
});
