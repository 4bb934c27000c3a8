import { describe, expect, it } from "vitest";
import { optionsSnippet, withAddresses, type SnippetParts } from "../src/comparison/options-snippet.js";
import { RECOGNIZER_CODE, RECOGNIZER_OPTIONS } from "../src/scenes/read-page/recognizer-code.js";
import { undeclaredIn } from "./support/undeclared.js";

const PARTS: SnippetParts = {
  address: "/models/m.onnx",
  options: {},
  ownOptions: [],
  ownCode: [],
  callers: 64,
  isPublic: true,
  item: { image: new Float32Array(784) },
  verdict: { batching: true },
  headline: "Yes 3.9× (2.1–7.3)",
};

function optionsOf(parts: Partial<SnippetParts>): string {
  return /createBatchedModel\("[^"]+"(?:, )?([\s\S]*?)\);/.exec(optionsSnippet({ ...PARTS, ...parts }))?.[1] ?? "none";
}

function itemOf(item: SnippetParts["item"]): string {
  return /\(\) => \(([\s\S]*?)\)\);\nconst outputs/.exec(optionsSnippet({ ...PARTS, item }))?.[1] ?? "none";
}

it("a snippet is complete: what to install, the model, and as many predictions at once as were measured", () => {
  expect(optionsSnippet(PARTS)).toBe(`// npm install framebatch
import { createBatchedModel } from "framebatch";

// Does batching pay? Yes 3.9× (2.1–7.3)
const model = await createBatchedModel("/models/m.onnx");

// Put your values into the items. Calls of the same moment share batches.
const items = Array.from({ length: 64 }, () => ({
  image: new Float32Array(784),
}));
const outputs = await Promise.all(items.map((item) => model.predict(item)));
console.log(outputs);
`);
});

it("a snippet says how to build framebatch until it can be installed", () => {
  const snippet = optionsSnippet({ ...PARTS, isPublic: false });
  expect(snippet).toContain("npm run build");
  expect(snippet).not.toContain("npm install framebatch");
});

it("a snippet without batching does not speak of batches", () => {
  expect(optionsSnippet({ ...PARTS, verdict: { batching: false } })).not.toContain("share batches");
});

it("a snippet for streams gives each a sequence", () => {
  expect(optionsSnippet({ ...PARTS, options: { recurrent: { memory: "memoryN" } }, hasSequences: true })).toContain(
    `{
  recurrent: {
    memory: "memoryN"
  }
});

// A stream has a state, which stays in the worker from step to step. Calls of the same moment share batches.
const streams = Array.from({ length: 64 }, () => model.sequence());
const outputs = await Promise.all(streams.map((stream) => stream.predict({
  image: new Float32Array(784),
})));
`,
  );
});

it("a snippet for texts generates each of them, one at a time if batching does not pay", () => {
  const texts = { item: { input_ids: [1, 2, 3] }, options: { generate: true }, texts: { maxNewTokens: 16, stop: [0] } };
  const snippet = optionsSnippet({ ...PARTS, ...texts });
  expect(snippet)
    .toContain(`// Put the tokens of your prompts into the items. Texts that run at the same time share steps.
const prompts = Array.from({ length: 64 }, () => ({
  input_ids: Array(3).fill(0),
}));
const texts = prompts.map((prompt) => model.generate(prompt, { maxNewTokens: 16, stop: [0] }));
const outputs = await Promise.all(texts.map(({ result }) => result));
`);
  expect(undeclaredIn(snippet)).toEqual([]);
  expect(optionsOf({ ...texts, verdict: { batching: false } })).toBe("{\n  generate: true,\n  maxBatchSize: 1\n}");
});

it("a snippet declares all that it names, with the options of the page reader too", () => {
  const reader = { ownOptions: RECOGNIZER_OPTIONS, ownCode: RECOGNIZER_CODE };
  expect(undeclaredIn(optionsSnippet({ ...PARTS, ...reader, ownCode: [] }))).toEqual([
    "startRecognizer",
    "shapeOfLine",
  ]);
  expect(undeclaredIn(optionsSnippet({ ...PARTS, ...reader }))).toEqual([]);
  expect(undeclaredIn(optionsSnippet({ ...PARTS, hasSequences: true }))).toEqual([]);
});

describe("the options of a snippet", () => {
  const options = { executionProviders: ["wasm"], batching: { release: "idle" }, maxBatchSize: 8 } as const;

  it("are the measured ones if batching pays", () => {
    expect(optionsOf({ options })).toBe(
      '{\n  executionProviders: ["wasm"],\n  batching: {\n    release: "idle"\n  },\n  maxBatchSize: 8\n}',
    );
  });

  it("turn batching off unless it pays, and then leave its options out", () => {
    expect(optionsOf({ options, verdict: { batching: false } })).toBe(
      '{\n  executionProviders: ["wasm"],\n  batching: false\n}',
    );
  });

  it("stay as measured while the answer is open", () => {
    expect(optionsOf({ options: { maxBatchSize: 8 }, verdict: { batching: null } })).toBe("{\n  maxBatchSize: 8\n}");
  });

  it("contain those of a model with handlers", () => {
    const ownOptions = ["worker: startReader", "shapeOf: shapeOfLine"];
    expect(optionsOf({ ownOptions })).toBe("{\n  worker: startReader,\n  shapeOf: shapeOfLine,\n}");
    expect(optionsOf({ ownOptions, verdict: { batching: false } })).toBe(
      "{\n  worker: startReader,\n  shapeOf: shapeOfLine,\n  batching: false\n}",
    );
  });
});

describe("the item of a snippet", () => {
  it("has the shape of a measured one", () => {
    expect(itemOf({ "token ids": { data: new BigInt64Array(4), dims: [4] }, words: ["a", "b"] })).toBe(
      '{\n  "token ids": { data: new BigInt64Array(4), dims: [4] },\n  words: Array(2).fill(""),\n}',
    );
  });

  it("may be a tensor alone", () => {
    expect(itemOf(new Float32Array(3))).toBe("new Float32Array(3)");
    expect(itemOf({ data: [1, 2], dims: [2], type: "float16" })).toBe(
      '{ data: Array(2).fill(0), dims: [2], type: "float16" }',
    );
  });
});

it("files of weights have addresses", () => {
  const weights = new File(["w"], "m.data");
  const options = withAddresses({ externalData: [{ path: "weights/m.data", source: weights }], maxBatchSize: 8 });
  expect(options).toEqual({ externalData: [{ path: "weights/m.data", source: "/models/m.data" }], maxBatchSize: 8 });
  expect(withAddresses({ maxBatchSize: 8 })).toEqual({ maxBatchSize: 8 });
});
