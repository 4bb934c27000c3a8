import { expect, test } from "vitest";
import { slownessOf } from "../src/measure/slowness.js";

const FAST = { answers: 64, durationMs: 40 };

test("a model is not slow if eight answers come in the trial round, or one for each caller", () => {
  expect(slownessOf(64, [FAST, { answers: 8, durationMs: 3000 }])).toBeNull();
  expect(slownessOf(4, [{ answers: 4, durationMs: 2900 }])).toBeNull();
});

test("a model whose answers take 700 ms each is slow: about 50 s, or two or three callers instead", () => {
  const slowness = slownessOf(64, [{ answers: 4, durationMs: 2800 }]);
  expect(slowness?.needMs).toBe(6 * 1.5 * 5600);
  expect(slowness?.fewerCallers).toBe(3);
});

test("it is slow if only its batch is, and then the single answers say how many callers are few enough", () => {
  const slowness = slownessOf(64, [
    { answers: 28, durationMs: 3000 },
    { answers: 0, durationMs: 7000 },
  ]);
  expect(slowness?.needMs).toBe(6 * 1.5 * 56_000);
  expect(slowness?.fewerCallers).toBe(19);
});

test("there is no smaller number of callers if one answer fills the time", () => {
  expect(slownessOf(2, [{ answers: 0, durationMs: 5000 }])?.fewerCallers).toBeNull();
});
