import { generateModel } from "@framebatch/models/generate";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BatchedModel, Item } from "../options/model.js";
import type { ModelOptions } from "../options/options.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

const open: BatchedModel[] = [];

/** Stands for the class of a browser. */
function imageData(width: number, height: number) {
  const data = new Uint8ClampedArray(4 * width * height);
  return Object.defineProperty({ data, width, height }, Symbol.toStringTag, { value: "ImageData" });
}

function imageBitmap() {
  return Object.defineProperty({}, Symbol.toStringTag, { value: "ImageBitmap" });
}

function rows<Row>(row: () => Row): Row[] {
  return Array.from({ length: 28 }, row);
}

beforeEach(() => stubBrowser());

afterEach(async () => {
  for (const model of open.splice(0)) await model.dispose();
  vi.unstubAllGlobals();
});

async function load(name: string, options: ModelOptions = {}): Promise<BatchedModel> {
  const model = await modelInNode(generateModel(name).bytes, {
    executionProviders: ["wasm"],
    warmup: false,
    ...options,
  });
  open.push(model);
  return model;
}

/** Returns what the model says about an item. */
async function said(model: BatchedModel, item: unknown): Promise<string> {
  const predict = (given: Item): Promise<unknown> => model.predict(given);
  const answer: Promise<unknown> = Reflect.apply(predict, null, [item]);
  return answer.then(
    () => "nothing",
    (error: unknown) => (error instanceof Error ? error.message : "no error"),
  );
}

const CONVERT = "convert it with imageToTensor of framebatch/handlers";
const IMAGE = 'input "image": expected';

describe("a message about an item", () => {
  // users.md, messages that mislead
  it.each<[string, string, unknown]>([
    [
      "an array of RGBA pixels",
      `${IMAGE} 784 elements for dims [1, 28, 28], got 3136; this looks like 4 items: pass one at a time, or use predictMany; if it is one image in RGBA, ${CONVERT}`,
      new Float32Array(4 * 784),
    ],
    [
      "the pixels of a canvas",
      `${IMAGE} 784 elements for dims [1, 28, 28], got 3136; these look like the RGBA pixels of an image: ${CONVERT}`,
      new Uint8ClampedArray(4 * 784),
    ],
    [
      "an ImageData",
      `${IMAGE} 784 elements for dims [1, 28, 28], got 3136; these look like the RGBA pixels of an image: ${CONVERT}`,
      imageData(28, 28),
    ],
    [
      "an ImageData by name",
      `${IMAGE} 784 elements for dims [1, 28, 28], got 3136; these look like the RGBA pixels of an image: ${CONVERT}`,
      { image: imageData(28, 28) },
    ],
    [
      "an ImageData of as many elements as the input",
      `${IMAGE} Float32Array or an array (float32), got Uint8ClampedArray(784); ${CONVERT}`,
      imageData(14, 14),
    ],
    ["a bitmap", `${IMAGE} float32 [1, 28, 28], got an ImageBitmap; ${CONVERT}`, imageBitmap()],
    [
      "a bitmap by name",
      `${IMAGE} a tensor (float32 [1, 28, 28]), got an ImageBitmap; ${CONVERT}`,
      { image: imageBitmap() },
    ],
    ["a file", `${IMAGE} float32 [1, 28, 28], got a Blob; ${CONVERT}`, new Blob(["a picture"])],
    [
      "rows of arrays",
      `${IMAGE} 784 elements for dims [1, 28, 28], got 28 rows such as Array(28); flatten the array: array.flat(Infinity)`,
      rows(() => Array.from({ length: 28 }, () => 0)),
    ],
    [
      "rows of typed arrays",
      `${IMAGE} 784 elements for dims [1, 28, 28], got 28 rows such as Float32Array(28); flatten the array: array.flatMap((row) => [...row])`,
      rows(() => new Float32Array(28)),
    ],
    [
      "another name",
      `${IMAGE} float32 [1, 28, 28], got nothing; the item has "img": did you mean "image"?`,
      { img: new Float32Array(784) },
    ],
    [
      "several other names",
      `${IMAGE} float32 [1, 28, 28], got nothing; the item has "a", "b": did you mean "image"?`,
      { a: new Float32Array(784), b: [1] },
    ],
  ])("names the remedy for %s", async (_what, message, item) => {
    expect(await said(await load("cnn-28"), item)).toBe(message);
  });

  // users.md, messages that mislead
  it("names the remedy for the pixels of a photo where the model takes three channels", async () => {
    expect(await said(await load("cnn-64"), new Float32Array(4 * 64 * 64))).toMatch(
      /got 16384; these look like the RGBA pixels of an image: convert it with imageToTensor/,
    );
  });

  // users.md, messages that mislead
  it("names batchAxis for a state that all items share", async () => {
    const model = await load("recurrent-unnamed", { batchAxis: { state: null, stateN: null } });
    const item = {
      input: new Float32Array(8),
      state: { data: new Float32Array(256), dims: [2, 128] },
      sr: [16_000n],
    };
    expect(await said(model, item)).toBe(
      'input "state": expected dims [2, ?, 128], got [2, 128]; all items of a batch share this input: if its axis 1 is the batch, set batchAxis: { "state": 1 }',
    );
  });
});

describe("a model whose state has an unnamed batch", () => {
  // users.md, messages that mislead
  it("is refused at load until batchAxis names it", async () => {
    await expect(load("recurrent-unnamed")).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining('set batchAxis: { "state": 1 }'),
    });
    const model = await load("recurrent-unnamed", { batchAxis: { state: 1, stateN: 1 } });
    expect(model.inputs.map(({ name, batchAxis }) => [name, batchAxis])).toEqual([
      ["input", 0],
      ["state", 1],
      ["sr", null],
    ]);
  });
});

describe("a message about an option", () => {
  // users.md, messages that mislead
  it.each<[unknown, string]>([
    [
      ["cpu"],
      'executionProviders[0]: expected one of "webgpu", "webnn", "wasm", got string "cpu"; write "webgpu" for the GPU or "wasm" for the processor',
    ],
    [
      ["wasm", "WebGPU"],
      'executionProviders[1]: expected one of "webgpu", "webnn", "wasm", got string "WebGPU"; did you mean "webgpu"?',
    ],
    [["wasm", "wasm"], 'executionProviders[1]: expected each provider once, got string "wasm"; remove it'],
    [
      [],
      'executionProviders: expected "auto" or a list of "webgpu", "webnn", "wasm", got Array(0); leave it out for "auto"',
    ],
    [
      "wasm",
      'executionProviders: expected "auto" or a list of "webgpu", "webnn", "wasm", got string "wasm"; leave it out for "auto"',
    ],
  ])("names the part of %j that is wrong", async (executionProviders, message) => {
    const loading: Promise<unknown> = Reflect.apply(modelInNode, null, [
      generateModel("mlp-tiny").bytes,
      { executionProviders },
    ]);
    await expect(loading).rejects.toMatchObject({ message, details: { option: expect.any(String) } });
  });
});
