import { expect, test } from "vitest";
import { examine } from "../src/examine.js";
import type { Scenario } from "../src/program/scenario.js";
import { threadsOf } from "./threads.js";

/** Programs that have broken a promise, shrunk, as `npm run sim:system` prints them. */
const threads = await threadsOf();

test("four samples show that rows mix from four on, however slow the model is", async () => {
  const samples = [
    [1, 0, 7, 3],
    [2, 2, 6, 3],
    [3, 4, 5, 3],
    [4, 6, 4, 3],
  ];
  const options = { executionProviders: ["wasm"], batching: { release: "window" }, samples };
  const scenario: Scenario = {
    seed: 1,
    baseMs: 150,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "model", page: 0, model: "mixing4", options }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      ...[1, 2, 3, 4].map((id) => ({
        atMs: 6000,
        do: "predict" as const,
        subject: 0,
        call: id,
        items: [{ id }],
        options: {},
      })),
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a worker that ends while its frozen page loads a model leaves no listeners", async () => {
  const scenario: Scenario = {
    seed: 1,
    baseMs: 30,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "model", page: 0, model: "fixed4", options: { executionProviders: ["wasm"] } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 30, do: "freeze", page: 0 },
      { atMs: 70_030, do: "thaw", page: 0 },
    ],
    faults: [{ on: "time", atMs: 45, does: "kill" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a model survives a worker that ends without a word while it loads the model again", async () => {
  const scenario: Scenario = {
    seed: 24,
    baseMs: 0.2,
    rowMs: 3,
    pages: 1,
    subjects: [
      {
        kind: "model",
        page: 0,
        model: "affine",
        options: { executionProviders: ["wasm"], cache: false, warmup: false, verify: false },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 39, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: {} },
    ],
    faults: [
      { on: "time", atMs: 38, does: "kill" },
      { on: "time", atMs: 40, does: "kill" },
    ],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});
