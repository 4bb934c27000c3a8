import { generateModel } from "@framebatch/models/generate";
import { afterEach, expect, it, vi } from "vitest";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

afterEach(() => vi.unstubAllGlobals());

const PATIENT = { verify: { budgetMs: 600_000 } };

it.each([
  { name: "fixed-1-described", options: PATIENT, paddedSize: 4 },
  { name: "fixed-1-described", options: { rebatch: "off" }, paddedSize: 1 },
  { name: "fixed-1-described", options: { verify: false }, paddedSize: 1 },
  { name: "fixed-1-sums", options: PATIENT, paddedSize: 1 },
  { name: "folded-rows-fixed-1", options: PATIENT, paddedSize: 4 },
  { name: "whole-boxes-fixed-1", options: PATIENT, paddedSize: 1 },
] as const)("sizes that exclude 1 leave no item of $name without an answer, with $options", async (asked) => {
  stubBrowser();
  const model = await modelInNode(generateModel(asked.name).bytes, {
    executionProviders: ["wasm"],
    allowedBatchSizes: [4],
    ...asked.options,
  });
  const dims = model.inputs[0]?.dims ?? [];
  const length = dims.slice(1).reduce<number>((product, size) => product * (size ?? 1), 1);
  const items = Array.from({ length: 5 }, (_, item) => Float32Array.from({ length }, (__, at) => item + at / 8));
  const answers = await Promise.all(items.map((item) => model.predictDetailed(item)));
  await model.dispose();
  expect(answers.map(({ batch }) => batch?.paddedSize)).toEqual(items.map(() => asked.paddedSize));
});
