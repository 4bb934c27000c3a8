import { describe, expect, it } from "vitest";
import { checkSameItems, fitToDevice } from "./metadata.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import type { TensorMetadata } from "@framebatch/rows/model/signature.js";

/** A text model as ONNX Runtime describes it on the device, with the names of its sizes. */
const DEVICE = resolveSignature(
  [
    { name: "ids", type: "int64", shape: ["batch", "sequence"] },
    { name: "mask", type: "int64", shape: ["batch", "sequence"] },
  ],
  [{ name: "embedding", type: "float32", shape: ["batch", 384] }],
);

const ids: TensorMetadata = { name: "ids", type: "int64", shape: [-1, -1] };
const mask: TensorMetadata = { name: "mask", type: "int64", shape: [-1, -1] };
const embedding: TensorMetadata = { name: "embedding", type: "float32", shape: [-1, 384] };
const SERVER = { inputs: [ids, mask], outputs: [embedding] };

describe("fitToDevice", () => {
  it("takes the names of sizes from the device, which a server does not tell", () => {
    const { signature, outputs } = fitToDevice(DEVICE, SERVER);
    expect(signature).toEqual(DEVICE);
    expect(outputs).toMatchObject([{ name: "embedding", dims: [null, 384], batchAxis: 0 }]);
  });

  it("accepts another order, further outputs, and a size that only the device fixes", () => {
    const further = { name: "attention", type: "float32", shape: [-1, 12] };
    const loose = { ...embedding, shape: [-1, -1] };
    const { outputs } = fitToDevice(DEVICE, { inputs: [mask, ids], outputs: [further, loose] });
    expect(outputs.map(({ name, dims }) => [name, dims])).toEqual([["embedding", [null, null]]]);
  });

  it("accepts outputs that differ by sizes of 1 at the end, which have the dims of the device", () => {
    const [label, score] = ["label", "score"].map((name) => ({ name, type: "float32" }));
    const device = resolveSignature(
      [{ name: "ids", type: "int64", shape: ["batch", "sequence"] }],
      [
        { ...label!, shape: ["batch"] },
        { ...score!, shape: ["batch", 1] },
      ],
    );
    const server = {
      inputs: [ids],
      outputs: [
        { ...label!, shape: [-1, 1] },
        { ...score!, shape: [-1] },
      ],
    };
    expect(fitToDevice(device, server).outputs.map(({ dims }) => dims)).toEqual([[null], [null, 1]]);
  });

  it("takes over the batch size that the server fixes", () => {
    const fixed = { inputs: [ids, mask].map((input) => ({ ...input, shape: [8, -1] })), outputs: [embedding] };
    expect(fitToDevice(DEVICE, fixed).signature.fixedBatch).toBe(8);
  });

  it.each([
    [{ ...SERVER, inputs: [ids] }, 'one of this name for the input "mask", got none'],
    [{ ...SERVER, inputs: [ids, { ...mask, type: "int32" }] }, 'int64 for the input "mask", got int32'],
    [
      { ...SERVER, inputs: [{ ...ids, shape: [-1, 128] }, mask] },
      '[batch, sequence] for the input "ids", got [?, 128]',
    ],
    [{ ...SERVER, inputs: [{ ...ids, shape: [-1] }, mask] }, '[batch, sequence] for the input "ids", got [?]'],
    [{ ...SERVER, inputs: [ids, mask, { ...mask, name: "kinds" }] }, 'no such input for the input "kinds", got one'],
    [
      { ...SERVER, outputs: [{ ...embedding, shape: [-1, 768] }] },
      '[batch, 384] for the output "embedding", got [?, 768]',
    ],
    [
      {
        ...SERVER,
        inputs: [
          { ...ids, shape: [4, -1] },
          { ...mask, shape: [8, -1] },
        ],
      },
      '4 rows for the input "mask", got 8',
    ],
  ])("rejects another model: %j", (metadata, message) => {
    expect(() => fitToDevice(DEVICE, metadata)).toThrow(message);
    expect(() => fitToDevice(DEVICE, metadata)).toThrow(expect.objectContaining({ code: "REMOTE_INVALID" }));
  });
});

it("a device with its inputs in another order does not take items that were prepared for the server", () => {
  const swapped = resolveSignature([mask, ids], [embedding]);
  expect(() => checkSameItems(DEVICE, resolveSignature([ids, mask], [embedding]))).not.toThrow();
  expect(() => checkSameItems(DEVICE, swapped)).toThrow("(ids: 0, mask: 0, embedding: 0), got mask: 0, ids: 0");
});
