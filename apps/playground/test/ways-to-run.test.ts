import type { ProviderTrial } from "framebatch";
import { expect, test } from "vitest";
import { waysToRun } from "../src/verdict/ways-to-run.js";

const OWN: ProviderTrial = {
  provider: "wasm",
  chosen: true,
  numThreads: 1,
  reason: "onnxruntime-web/wasm",
  msPerItem: {},
  agrees: null,
};

function words(trials: readonly ProviderTrial[], isIsolated = true, allowed: "auto" | readonly "wasm"[] = "auto") {
  const ways = waysToRun({ executionProvider: "wasm", providerTrials: trials }, { isIsolated, allowed });
  return ways.map(({ name, isUsed, words: text }) => `${isUsed ? "* " : ""}${name}: ${text}`);
}

test("the way that is used, and why another is not", () => {
  const gpu = { ...OWN, provider: "webgpu", chosen: false, reason: "this browser offers no GPU adapter" } as const;
  expect(words([gpu, OWN])).toEqual([
    "WebGPU: Not used: this browser offers no GPU adapter.",
    "* WASM, 1 thread: Used here.",
  ]);
});

test("measured ways have their measurement, once", () => {
  const threads = { ...OWN, numThreads: 2, chosen: true, msPerItem: { 8: 0.4 }, agrees: true };
  const measured = { ...threads, reason: "1.34 times as fast, at least 1.12 times" };
  const own = { ...OWN, chosen: false, msPerItem: { 8: 0.6 }, reason: "the others were compared with it" };
  expect(words([OWN, own, measured])).toContain(
    "WASM, 2 threads: Measured: 1.34 times as fast, at least 1.12 times; the next visit starts on it.",
  );
  expect(words([OWN, own, measured]).filter((line) => line.includes("1 thread:"))).toEqual([
    "* WASM, 1 thread: Used here.",
  ]);
});

test("ways that could not be tried have a reason too", () => {
  expect(words([OWN], false, ["wasm"])).toEqual([
    "* WASM, 1 thread: Used here.",
    "WASM, several threads: Not possible: the server of this page does not isolate it (COOP and COEP).",
    "WebGPU: Not tried: the backend is set to another one.",
  ]);
});
