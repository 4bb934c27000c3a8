import { expect, test } from "vitest";
import { isSameSetup, type Setup } from "../src/run/setup.js";

const MODEL = { source: "/m.onnx", name: "m.onnx", address: "/m.onnx", options: {} };
const SETUP: Setup = { model: MODEL, items: null, settings: "[64]" };

test("a result is outdated by another model, other items and other settings, and by nothing else", () => {
  expect(isSameSetup(SETUP, { ...SETUP })).toBe(true);
  expect(isSameSetup(SETUP, { ...SETUP, model: { ...MODEL } })).toBe(false);
  expect(isSameSetup(SETUP, { ...SETUP, items: [] })).toBe(false);
  expect(isSameSetup(SETUP, { ...SETUP, settings: "[16]" })).toBe(false);
});
