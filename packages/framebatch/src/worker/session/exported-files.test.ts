import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  exportedAt,
  exportedBfloat,
  exportedClassifier,
  exportedMod,
  exportedQuotient,
  exportedZipMap,
} from "@framebatch/models/exported";
import { generateModel } from "@framebatch/models/generate";
import { createModelAt } from "../../client/model/create-batched-model.js";
import { keepSource } from "../../client/options/model-source.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

beforeEach(() => stubBrowser());
afterEach(() => void vi.unstubAllGlobals());

const ITEM = { x: [3, 0] };

it("a file that is new in its numbers alone runs, and stats() says how it was read", async () => {
  await using model = await modelInNode(exportedAt({ ir: 14, opset: 28 }));
  expect((await model.predict(ITEM))["y"]?.data).toEqual(Float32Array.of(6, 0));
  expect(model.stats().providerTrials.at(-1)?.reason).toContain("read as IR version 13 and opset 26");
});

it("a file that is newer in what it computes is refused without the runtime's words", async () => {
  await expect(modelInNode(exportedMod({ ir: 14, opset: 28 }))).rejects.toMatchObject({
    code: "MODEL_INVALID",
    message: expect.stringMatching(/^expected a model of operators of opset 26 or less, got Mod of opset 28; [^/]*$/),
  });
});

it("an output of a type that JavaScript has no array for is named", async () => {
  await expect(modelInNode(exportedBfloat(), { executionProviders: ["wasm"] })).rejects.toMatchObject({
    code: "MODEL_INVALID",
    message:
      'expected inputs and outputs of types that JavaScript has an array for, got bfloat16 for the output "y"; export them as float32 or float16',
  });
});

describe("a file that does not run on zeros", () => {
  it("loads if it runs on ones, and its batches are checked with the first items", async () => {
    const verify = { budgetMs: 600_000 };
    await using model = await modelInNode(exportedQuotient(), { executionProviders: ["wasm"], verify });
    const items = [1n, 2n, 3n, 4n, 5n].map((by) => ({ x: [60n, 120n], by: [by, by] }));
    const answers = await model.predictMany(items);
    expect(answers.map(({ y }) => y?.data)).toEqual(
      items.map(({ by: [by = 1n] }) => BigInt64Array.of(60n / by, 120n / by)),
    );
    expect(model.stats().batchCheck.outcome).toBe("passed");
  });

  it("is refused with a word about samples if it runs on no ones, and loads with them", async () => {
    const bytes = exportedQuotient(true);
    const options = { executionProviders: ["wasm"] } as const;
    await expect(modelInNode(bytes, options)).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: expect.stringMatching(
        /^expected the model to run generated items, got: .*; if it runs others, pass them as samples$/s,
      ),
    });
    await using model = await modelInNode(bytes, { ...options, samples: [{ x: [60n, 120n], by: [2n, 3n] }] });
    expect((await model.predict({ x: [60n, 120n], by: [3n, 4n] }))["y"]?.data).toEqual(BigInt64Array.of(-10n, -10n));
  });

  it("is refused with a word about them if it does not run on its samples", async () => {
    const samples = [{ x: [1n, 1n], by: [0n, 1n] }];
    await expect(modelInNode(exportedQuotient(), { executionProviders: ["wasm"], samples })).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: expect.stringMatching(
        /^expected the model to run the first of samples, got: .*; pass items that it runs$/s,
      ),
    });
  });
});

describe("the option outputs", () => {
  it("leaves out what is no tensor", async () => {
    await using model = await modelInNode(exportedZipMap(), { outputs: ["label"] });
    const answers = await model.predictMany([{ x: [3, 0] }, { x: [0, 3] }, { x: [-3, -3] }]);
    expect(answers.map((outputs) => [Object.keys(outputs), outputs["label"]?.data])).toEqual(
      ["cat", "dog", "eel"].map((label) => [["label"], [label]]),
    );
    expect(model.outputs.map(({ name }) => name)).toEqual(["label"]);
  });

  it("is named where an output is no tensor, with the line of Python for scikit-learn", async () => {
    await expect(modelInNode(exportedZipMap(), { executionProviders: ["wasm"] })).rejects.toMatchObject({
      code: "MODEL_INVALID",
      message: expect.stringMatching(
        /^output "output_probability": .*outputs: \["label"\], or .*options=\{id\(model\): \{"zipmap": False\}\}/,
      ),
    });
  });

  it("gives several outputs in the model's order, and checks only them", async () => {
    const { bytes } = generateModel("several-outputs");
    await using model = await modelInNode(bytes, { outputs: ["label", "scores"], verify: { budgetMs: 600_000 } });
    expect(Object.keys(await model.predict({ x: Array.from({ length: 8 }, () => 1) }))).toEqual(["scores", "label"]);
    expect(model.stats().batchCheck.outcome).toBe("passed");
  });

  it("has no say in the states of a model", async () => {
    const source = keepSource(generateModel("sequence-rows").bytes);
    const loadSequences = () => import("../../sequences/page/sequence-items.js");
    await using model = await createModelAt({ site: hostSite(), share: null, loadSequences }, source, {
      cache: false,
      outputs: ["y"],
      recurrent: { state: "stateN" },
    });
    const sequence = model.sequence();
    const steps = [await sequence.predict({ x: [1, 2, 3, 4] }), await sequence.predict({ x: [1, 2, 3, 4] })];
    expect(steps.map((outputs) => Object.keys(outputs))).toEqual([["y"], ["y"]]);
    expect(steps[1]).not.toEqual(steps[0]);
  });

  it("gives more than states", async () => {
    const source = keepSource(generateModel("sequence-rows").bytes);
    const loadSequences = () => import("../../sequences/page/sequence-items.js");
    const options = {
      cache: false,
      outputs: ["stateN"],
      recurrent: { state: "stateN" },
      executionProviders: ["wasm"],
    } as const;
    await expect(
      createModelAt({ site: hostSite(), share: null, loadSequences }, source, options),
    ).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(/^outputs: expected an output that is not in recurrent, got "stateN"; /),
    });
  });

  it("names an output that exists", async () => {
    await expect(
      modelInNode(exportedClassifier(), { outputs: ["lable"], executionProviders: ["wasm"] }),
    ).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(/^outputs: .*"lable".*"label"/),
    });
  });
});
