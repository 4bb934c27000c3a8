import { expect, test } from "vitest";
import { examine } from "../src/examine.js";
import type { Scenario } from "../src/program/scenario.js";
import { threadsOf } from "./threads.js";

/** Programs that have broken a promise, shrunk, as `npm run sim:system` prints them. */
const threads = await threadsOf();

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
