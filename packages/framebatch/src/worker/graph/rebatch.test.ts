import * as ort from "onnxruntime-web/wasm";
import { describe, expect, it } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { joinedBytes } from "@framebatch/rows/tensor/joined-bytes.js";
import { delimited, fieldsOf, GRAPH, MODEL, NODE } from "./onnx-graph.js";
import { rebatch } from "./rebatch.js";

ort.env.wasm.numThreads = 1;

const REBATCHABLE = [
  "mlp-fixed-1",
  "fixed-1-described",
  "fixed-1-flattened",
  "fixed-1-folded",
  "fixed-1-attention",
  "fixed-1-two-inputs",
];

async function signatureOf(bytes: Uint8Array) {
  const session = await ort.InferenceSession.create(bytes);
  const signature = resolveSignature(session.inputMetadata, session.outputMetadata);
  await session.release();
  return signature;
}

async function rewrite(model: Uint8Array): Promise<Uint8Array> {
  const rewritten = rebatch(model, await signatureOf(model));
  if ("refused" in rewritten) throw new Error(rewritten.refused);
  return rewritten.bytes;
}

/** Returns the outputs of a run in which each input holds `rows` items, starting with item number `from`. */
async function run(model: Uint8Array, rows: number, from = 0): Promise<number[][]> {
  const session = await ort.InferenceSession.create(model);
  const feeds: Record<string, ort.Tensor> = {};
  for (const input of session.inputMetadata) {
    if (!input.isTensor) throw new Error("expected a tensor");
    const itemDims = input.shape.slice(1).map(Number);
    const length = itemDims.reduce((product, size) => product * size, 1);
    const data = Float32Array.from({ length: rows * length }, (_, index) => Math.sin(1 + from * length + index));
    feeds[input.name] = new ort.Tensor("float32", data, [rows, ...itemDims]);
  }
  const outputs = await session.run(feeds);
  await session.release();
  return Object.values(outputs).map(({ data }) => [...data].map(Number));
}

describe("a model with its batch fixed at 1", () => {
  it.each(REBATCHABLE)("%s runs batches of three once it is rewritten, with the same results", async (name) => {
    const model = generateModel(name).bytes;
    const [together = []] = await run(await rewrite(model), 3);
    const length = together.length / 3;
    for (const item of [0, 1, 2]) {
      const [alone = []] = await run(model, 1, item);
      const answer = together.slice(item * length, (item + 1) * length);
      expect(alone).toHaveLength(length);
      for (const [index, value] of answer.entries()) expect(value).toBeCloseTo(alone[index] ?? NaN, 5);
    }
  });

  it("has a named batch dimension once it is rewritten", async () => {
    const signature = await signatureOf(await rewrite(generateModel("fixed-1-flattened").bytes));
    expect(signature).toMatchObject({
      fixedBatch: null,
      inputs: [{ dims: [null, 2, 6, 6], symbols: ["batch", null, null, null], batchAxis: 0 }],
      outputs: [{ dims: [null, 4], batchAxis: 0 }],
    });
  });

  it("keeps its weights, and all data that is not a shape, byte for byte", async () => {
    const model = generateModel("fixed-1-attention").bytes;
    const rewritten = await rewrite(model);
    const kept = (bytes: Uint8Array) => graphOf(bytes).filter(({ number }) => number === GRAPH.initializer);
    expect(kept(rewritten).map(({ whole }) => whole)).toEqual(kept(model).map(({ whole }) => whole));
    const outside = (bytes: Uint8Array) => fieldsOf(bytes).filter(({ number }) => number !== MODEL.graph);
    expect(outside(rewritten)).toEqual(outside(model));
  });

  it("is not rewritten if it has branches", async () => {
    const model = generateModel("mlp-fixed-1").bytes;
    const branch = joinedBytes(delimited(NODE.attribute, delimited(6, [new Uint8Array()])));
    const [first, ...others] = fieldsOf(model).flatMap(({ number, value, whole }) =>
      number === MODEL.graph ? delimited(number, [value, ...delimited(GRAPH.node, [branch])]) : [whole],
    );
    const branching = joinedBytes([first ?? new Uint8Array(), ...others]);
    expect(rebatch(branching, await signatureOf(model))).toEqual({
      refused: expect.stringContaining("branches or loops"),
    });
  });

  it("is not rewritten if another dimension is named batch", async () => {
    const signature = await signatureOf(generateModel("fixed-1-two-inputs").bytes);
    const inputs = signature.inputs.map((input) => ({ ...input, symbols: [null, "batch"] }));
    const rewritten = rebatch(generateModel("fixed-1-two-inputs").bytes, { ...signature, inputs });
    expect(rewritten).toEqual({ refused: 'another of its dimensions is called "batch"' });
  });
});

function graphOf(bytes: Uint8Array) {
  return fieldsOf(fieldsOf(bytes).find(({ number }) => number === MODEL.graph)?.value ?? new Uint8Array());
}
