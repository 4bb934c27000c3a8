import { expect, test } from "vitest";
import { examine } from "../src/examine.js";
import type { Scenario } from "../src/scenario/scenario.js";
import { threadsOf } from "./threads.js";

/** Programs that have broken a promise, shrunk, as `npm run measure sim:system` prints them. */
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

test("a sequence goes on after a stream that was left while one of its items waited", async () => {
  const options = { executionProviders: ["wasm"], cache: false, warmup: false, verify: false };
  const scenario: Scenario = {
    seed: 224,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "sequences", page: 0, model: "rnn", options, sequences: [{}] }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      {
        atMs: 155,
        do: "stream",
        subject: 0,
        part: 0,
        call: 1,
        source: "generator",
        take: 2,
        options: {},
        items: [{ id: 1 }, { id: 2 }, { id: 3 }],
      },
      { atMs: 155.5, do: "predict", subject: 0, part: 0, call: 2, items: [{ id: 4 }], options: {} },
      { atMs: 170, do: "predict", subject: 0, part: 0, call: 3, items: [{ id: 5 }], options: {} },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a step that leaves while the item at fault is searched for does not put the blame on another", async () => {
  const sequences = Array.from({ length: 5 }, () => ({}));
  const scenario: Scenario = {
    seed: 40000686,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "sequences", page: 0, model: "twin", options: {}, sequences }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      {
        atMs: 120,
        do: "stream",
        subject: 0,
        part: 0,
        call: 1,
        options: {},
        items: [{ id: 1 }, { id: 2 }, { id: 3, poison: "hang" }],
      },
      { atMs: 120, do: "predict", subject: 0, part: 1, call: 2, items: [{ id: 4 }], options: {} },
      { atMs: 120, do: "predict", subject: 0, part: 3, call: 3, items: [{ id: 5 }], options: {} },
      { atMs: 120, do: "predict", subject: 0, part: 3, call: 4, items: [{ id: 6 }], options: {} },
      {
        atMs: 120,
        do: "predict",
        subject: 0,
        part: 4,
        call: 5,
        options: { timeoutMs: 500 },
        items: [{ id: 7, poison: "fail" }],
      },
      { atMs: 120, do: "predict", subject: 0, call: 6, items: [{ id: 8 }], options: {} },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a call that a thawing page rejects in a later task of the same time was not refused", async () => {
  const options = { maxLatencyMs: 20, executionProviders: ["wasm"], warmup: false, verify: false };
  const scenario: Scenario = {
    seed: 610911080,
    baseMs: 30,
    rowMs: 3,
    pages: 1,
    subjects: [{ kind: "model", page: 0, model: "affine", options }],
    steps: [
      { atMs: 200, do: "open", subject: 0 },
      { atMs: 224, do: "freeze", page: 0 },
      { atMs: 724, do: "thaw", page: 0 },
      { atMs: 247, do: "predict", subject: 0, call: 12, items: [{ id: 21 }], options: { transfer: true } },
      { atMs: 221, do: "predict", subject: 0, call: 13, items: [{ id: 25 }], options: {} },
      { atMs: 220, do: "predict", subject: 0, call: 14, items: [{ id: 26 }], options: {} },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a model survives a run of its check that breaks down while a worker loads it again", async () => {
  const options = { executionProviders: ["wasm"] };
  const scenario: Scenario = {
    seed: 30293238,
    baseMs: 30,
    rowMs: 3,
    pages: 1,
    subjects: [{ kind: "sequences", page: 0, model: "twin", options, sequences: [{}] }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 215, do: "predict", subject: 0, part: 0, call: 1, items: [{ id: 10, poison: "hang" }], options: {} },
      { atMs: 455, do: "restart", subject: 0 },
    ],
    faults: [{ on: "run", nth: 10, does: "trap" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a server that has asked for time is not asked again by a request whose connection it had cut before", async () => {
  const options = { executionProviders: ["wasm"], cache: false, warmup: false, verify: false };
  const scenario: Scenario = {
    seed: 23,
    baseMs: 8,
    rowMs: 0.5,
    pages: 1,
    subjects: [
      {
        kind: "hybrid",
        page: 0,
        model: "affine",
        options,
        server: {
          isBinary: false,
          delayMs: 0.5,
          batch: "dynamic",
          faults: [
            { nth: 1, until: 1, does: "429" },
            { nth: 2, until: 2, does: "cut" },
          ],
        },
        remote: { mode: "prefer-in-cloud", maxBatchSize: 1 },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 11, do: "predict", subject: 0, call: 3, items: [{ id: 3 }], options: {} },
      { atMs: 13, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: {} },
      { atMs: 29, do: "predict", subject: 0, call: 2, items: [{ id: 2 }], options: {} },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a stream that waits for room goes on when the request before it is rejected while a worker loads", async () => {
  const scenario: Scenario = {
    seed: 500018353,
    baseMs: 8,
    rowMs: 3,
    pages: 1,
    subjects: [
      { kind: "handled", page: 0, model: "affine", options: { maxLatencyMs: 11.33, warmup: false, verify: false } },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 82, do: "stream", subject: 0, call: 3, items: [{ id: 9, slowMs: 2 }], options: {} },
      { atMs: 63, do: "predict", subject: 0, call: 9, items: [{ id: 22 }], options: {} },
      {
        atMs: 63,
        do: "stream",
        subject: 0,
        call: 10,
        items: [
          { id: 23, poison: "hang" },
          { id: 24, slowMs: 2 },
        ],
        options: {},
      },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a server that has asked for time is not searched for the item that has failed a batch", async () => {
  const options = { executionProviders: ["wasm"] };
  const scenario: Scenario = {
    seed: 450011906,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "hybrid",
        page: 0,
        model: "affine",
        options,
        server: {
          isBinary: true,
          delayMs: 150,
          batch: "dynamic",
          faults: [
            { nth: 5, until: 5, does: "short" },
            { nth: 1, until: 1, does: "429" },
          ],
        },
        remote: { mode: "prefer-in-cloud" },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 60, do: "stream", subject: 0, call: 1, items: [{ id: 3 }, { id: 4 }], options: {}, take: 1 },
      { atMs: 60, do: "predict", subject: 0, call: 2, items: [{ id: 3 }], options: {} },
      { atMs: 60, do: "predict", subject: 0, call: 3, items: [{ id: 5 }], options: {} },
      {
        atMs: 60,
        do: "stream",
        subject: 0,
        call: 4,
        items: [{ id: 8, poison: "trap" }, { id: 9, act: { at: 1, does: "abort", thrown: "plain" } }, { id: 10 }],
        options: {},
      },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "a handler of a group that hangs after an await is not blamed on another model, in world %i",
  async (seed) => {
    const options = { cache: false, runTimeoutMs: 300, verify: false, batching: false };
    const act = { at: 0, does: "hang", thrown: "error" } as const;
    const scenario: Scenario = {
      seed,
      baseMs: 30,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "group",
          page: 0,
          options: { executionProviders: ["webgpu", "wasm"] },
          models: [
            { model: "affine", options, sequences: [], hasHandlers: true },
            { model: "affine", options, sequences: [] },
          ],
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 1000, do: "predict", subject: 0, part: 0, call: 1, items: [{ id: 1, act, slowMs: 20 }], options: {} },
        { atMs: 1010, do: "predict", subject: 0, part: 1, call: 2, items: [{ id: 2 }], options: {} },
      ],
      faults: [],
    };
    expect((await examine(scenario, threads)).violations).toEqual([]);
  },
);

test("nobody knows how long a hanging batch takes that is larger than all before it", async () => {
  const call = { atMs: 20, do: "predict", subject: 0, options: {} } as const;
  const scenario: Scenario = {
    seed: 450013536,
    baseMs: 30,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      { kind: "function", page: 0, options: {} },
      { kind: "function", page: 0, options: {} },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 0, do: "open", subject: 1 },
      {
        atMs: 107,
        do: "many",
        subject: 0,
        call: 3,
        items: [{ id: 5, poison: "fail" }, { id: 8 }, { id: 9 }],
        options: {},
      },
      {
        atMs: 24,
        do: "many",
        subject: 1,
        call: 5,
        items: [{ id: 11, poison: "hang" }, { id: 13 }, { id: 14 }, { id: 15, poison: "trap" }],
        options: {},
      },
      { ...call, subject: 1, call: 8, items: [{ id: 18 }] },
      { ...call, subject: 1, atMs: 86, call: 9, items: [{ id: 20 }] },
      { ...call, subject: 1, call: 10, items: [{ id: 21 }] },
      { ...call, subject: 1, do: "many", call: 12, items: [{ id: 26 }, { id: 27 }, { id: 28 }, { id: 29 }] },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a model of a group that is checked no more on a GPU leaves no session there", async () => {
  const options = { cache: false, runTimeoutMs: 300, warmup: false };
  const scenario: Scenario = {
    seed: 5000012234,
    baseMs: 30,
    rowMs: 3,
    pages: 1,
    subjects: [
      {
        kind: "group",
        page: 0,
        options: {},
        models: [
          { model: "affine", options: { ...options, verify: false }, sequences: [], hasHandlers: true },
          { model: "affine", options, sequences: [] },
        ],
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 294, do: "predict", subject: 0, part: 1, call: 5, items: [{ id: 12 }], options: {} },
    ],
    faults: [{ on: "run", nth: 1, does: "slow" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a request whose time ends while the device loads is told that the server has asked for time", async () => {
  const scenario: Scenario = {
    seed: 5000137731,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "hybrid",
        page: 0,
        model: "affine",
        options: {},
        server: { isBinary: true, delayMs: 0.5, batch: "dynamic", faults: [{ nth: 0, until: 0, does: "429" }] },
        remote: { mode: "prefer-in-cloud" },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 13, do: "predict", subject: 0, call: 8, items: [{ id: 12 }], options: {} },
      { atMs: 15, do: "predict", subject: 0, call: 9, items: [{ id: 16 }], options: { timeoutMs: 5 } },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a hub that loads a model again does not give it out before it knows that its file is the same", async () => {
  const options = { executionProviders: ["wasm"], cache: false, warmup: false, verify: false };
  const scenario: Scenario = {
    seed: 930013475,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "hub",
        page: 0,
        options: { memoryBudgetBytes: 60_000_000 },
        models: [
          { is: "plain", options: { ...options, batching: {}, maxBatchSize: 32, maxQueueDelayMs: 1, maxQueueSize: 2 } },
          { is: "plain", options: { ...options, batching: {}, maxQueueDelayMs: 1 } },
        ],
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 6, do: "predict", subject: 0, call: 1, items: [{ id: 1, poison: "trap" }], options: {} },
      {
        atMs: 62,
        do: "predict",
        subject: 0,
        call: 2,
        items: [{ id: 2, act: { at: 1, does: "dispose", thrown: "plain" } }],
        options: {},
      },
      { atMs: 75, do: "predict", subject: 0, call: 3, items: [{ id: 1, poison: "trap" }], options: {} },
      { atMs: 89, do: "predict", subject: 0, call: 4, items: [{ id: 3 }], options: {} },
      { atMs: 82, do: "predict", subject: 0, call: 5, items: [{ id: 4 }], options: {} },
    ],
    faults: [{ on: "time", atMs: 29, does: "deploy" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test.each([0.25, 1, 2, 4])(
  "a picked file that changes after %f ms, while a worker starts, fails the load with a code",
  async (atMs) => {
    const options = { executionProviders: ["wasm"], cache: false, warmup: false, verify: false, picked: true };
    const scenario: Scenario = {
      seed: 1,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [{ kind: "model", page: 0, model: "affine", options }],
      steps: [{ atMs: 0, do: "open", subject: 0 }],
      faults: [{ on: "time", atMs, does: "change files" }],
    };
    expect((await examine(scenario, threads)).violations).toEqual([]);
  },
);

test("after two hanging handlers, runs that were repeated do not seem to take minutes", async () => {
  const scenario: Scenario = {
    seed: 5000672714,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "handled", page: 0, model: "affine", options: { warmup: false } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      {
        atMs: 162,
        do: "predict",
        subject: 0,
        call: 1,
        items: [{ id: 1, act: { at: 1, does: "hang", thrown: "error" } }],
        options: { transfer: true },
      },
      { atMs: 173, do: "predict", subject: 0, call: 2, items: [{ id: 3, poison: "hang" }], options: {} },
      {
        atMs: 171,
        do: "predict",
        subject: 0,
        call: 4,
        items: [{ id: 7, act: { at: 1, does: "throw", thrown: "text" } }],
        options: { transfer: true },
      },
      { atMs: 150, do: "predict", subject: 0, call: 5, items: [{ id: 8 }], options: {} },
      { atMs: 52903, do: "predict", subject: 0, call: 6, items: [{ id: 11 }], options: {} },
      { atMs: 170, do: "abort", call: 5 },
    ],
    faults: [{ on: "time", atMs: 123, does: "kill" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("an item that hangs again does not wait for as long as others have waited for its first worker", async () => {
  const hanging = { id: 8, poison: "hang" } as const;
  const unsendable = { id: 5, act: { at: 1, does: "unsendable", thrown: "unreadable" }, slowMs: 10 } as const;
  const scenario: Scenario = {
    seed: 5000367310,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "handled", page: 0, model: "affine", options: { warmup: false, maxBatchSize: 2 } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      {
        atMs: 117,
        do: "stream",
        subject: 0,
        call: 2,
        items: [{ id: 2, poison: "trap" }, { id: 4, slowMs: 2 }, unsendable],
        options: {},
      },
      {
        atMs: 212,
        do: "many",
        subject: 0,
        call: 5,
        items: [{ id: 7, slowMs: 2 }, { id: 4, slowMs: 2 }, hanging],
        options: { transfer: true },
      },
      { atMs: 300, do: "stream", subject: 0, call: 8, items: [hanging, { id: 11, slowMs: 2 }], options: {} },
      { atMs: 259, do: "predict", subject: 0, call: 10, items: [{ id: 12, slowMs: 60 }], options: { transfer: true } },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a list and a call that wait for the same hanging items settle", async () => {
  const hanging = { id: 4, act: { at: 1, does: "hang", thrown: "unreadable" }, slowMs: 0 } as const;
  const throwing = { id: 12, act: { at: 0, does: "throw", thrown: "error" }, slowMs: 0 } as const;
  const scenario: Scenario = {
    seed: 5000687282,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "handled", page: 0, model: "affine", options: { warmup: false, maxBatchSize: 2 } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 83, do: "many", subject: 0, call: 1, items: [{ id: 2, slowMs: 2 }, { id: 3 }, hanging], options: {} },
      { atMs: 64, do: "predict", subject: 0, call: 3, items: [hanging], options: { transfer: true } },
      {
        atMs: 82,
        do: "many",
        subject: 0,
        call: 5,
        items: [{ id: 9, poison: "hang" }, { id: 7 }, { id: 11, slowMs: 2 }, throwing],
        options: {},
        source: "generator",
      },
      { atMs: 87, do: "predict", subject: 0, call: 6, items: [{ id: 9, poison: "hang" }], options: {} },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a server that has asked for time is asked by a model whose device never loaded", async () => {
  const scenario: Scenario = {
    seed: 5000651240,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "hybrid",
        page: 0,
        model: "affine",
        options: { executionProviders: ["wasm"], cache: false },
        server: { isBinary: true, delayMs: 0.5, batch: "dynamic", faults: [{ nth: 1, until: 51, does: "429" }] },
        remote: { mode: "prefer-in-cloud", runTimeoutMs: 2000 },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 192, do: "predict", subject: 0, call: 7, items: [{ id: 9, poison: "fail" }], options: {} },
      { atMs: 58201, do: "predict", subject: 0, call: 9, items: [{ id: 12 }], options: {} },
      { atMs: 82756, do: "predict", subject: 0, call: 10, items: [{ id: 14 }], options: {} },
    ],
    faults: [{ on: "time", atMs: 41, does: "kill" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a server is left alone for the time that it asks for, also if nobody waits any more for the rest of its answer", async () => {
  const scenario: Scenario = {
    seed: 1550,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "hybrid",
        page: 0,
        model: "affine",
        options: { maxLatencyMs: 20, executionProviders: ["wasm"], warmup: false },
        server: {
          isBinary: false,
          delayMs: 0.5,
          batch: "dynamic",
          faults: [
            { nth: 0, until: 0, does: "silent" },
            { nth: 1, until: 53, does: "429" },
          ],
        },
        remote: { mode: "prefer-in-cloud" },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 60, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: {} },
      { atMs: 66, do: "predict", subject: 0, call: 2, items: [{ id: 2 }], options: {} },
      { atMs: 89, do: "predict", subject: 0, call: 3, items: [{ id: 3 }], options: {} },
      { atMs: 94266, do: "predict", subject: 0, call: 4, items: [{ id: 4 }], options: {} },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("an item that had moved to a worker settles as soon as the end of the worker is certain", async () => {
  const options = { executionProviders: ["webgpu", "wasm"], warmup: false, verify: false };
  const scenario: Scenario = {
    seed: 3028441865,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "model", page: 0, model: "ragged", options }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 20, do: "predict", subject: 0, call: 1, items: [{ id: 1, isLarge: true }], options: {} },
      { atMs: 21, do: "predict", subject: 0, call: 2, items: [{ id: 2, isLarge: true }], options: {} },
      { atMs: 21, do: "predict", subject: 0, call: 3, items: [{ id: 3, isLarge: true }], options: { transfer: true } },
    ],
    faults: [{ on: "run", nth: 3, does: "exit" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test.each([
  { on: "time", atMs: 292, does: "kill" },
  { on: "run", nth: 5, does: "trap" },
] as const)("a tab that joined a session of old files before its $does opens the new ones", async (fault) => {
  const options = { executionProviders: ["webgpu", "wasm"], cache: false, shared: true };
  const subject = { kind: "model", page: 0, model: "fixed4", options } as const;
  const scenario: Scenario = {
    seed: fault.does === "kill" ? 298 : 300,
    baseMs: 30,
    rowMs: 3,
    pages: 1,
    subjects: [subject, subject],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 200, do: "open", subject: 1 },
    ],
    faults: [{ on: "time", atMs: 27, does: "deploy" }, fault],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a run of the check that hangs is found by what the runs before it took", async () => {
  const options = { executionProviders: ["webgpu", "wasm"], cache: true, warmup: false, shared: true };
  const scenario: Scenario = {
    seed: 5000958515,
    baseMs: 8,
    rowMs: 0.01,
    pages: 2,
    subjects: [{ kind: "model", page: 1, model: "affine", options }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 140, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: {} },
    ],
    faults: [{ on: "run", nth: 11, does: "hang" }],
  };
  const { violations, answered } = await examine(scenario, threads);
  expect([violations, answered]).toEqual([[], 1]);
});

test("a page that has ended does nothing any more, not even with the lock of its worker", async () => {
  const options = { warmup: false, verify: false };
  const scenario: Scenario = {
    seed: 5001147111,
    baseMs: 30,
    rowMs: 3,
    pages: 1,
    subjects: [{ kind: "model", page: 0, model: "ragged", options }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 100, do: "predict", subject: 0, call: 3, items: [{ id: 7, isLarge: true }], options: {} },
      { atMs: 101, do: "predict", subject: 0, call: 4, items: [{ id: 8, isLarge: true }], options: { transfer: true } },
      { atMs: 117, do: "crash", page: 0 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a call that the window of an idle function has held back is not refused for that", async () => {
  const options = {
    batching: { release: "window" },
    maxLatencyMs: 8.2503,
    allowedBatchSizes: [2, 4, 8],
    maxBatchSize: 8,
  };
  const scenario: Scenario = {
    seed: 5_000_902_239,
    baseMs: 8,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "function", page: 0, options, thrown: "unreadable", functions: ["contentKey"] }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      ...Array.from({ length: 17 }, (_, index) => ({
        atMs: 20 + 1.602 * index,
        do: "predict" as const,
        subject: 0,
        call: index + 1,
        items: [{ id: index + 1 }],
        options: {},
      })),
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a call with the default priority leaves its place to a newer one that names this priority", async () => {
  const scenario: Scenario = {
    seed: 5_003_009_784,
    baseMs: 30,
    rowMs: 0.5,
    pages: 1,
    subjects: [{ kind: "function", page: 0, options: { maxBatchSize: 1 } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      {
        atMs: 109,
        do: "predict",
        subject: 0,
        call: 3,
        items: [{ id: 2 }],
        options: { priority: "user-visible", key: "a" },
      },
      { atMs: 100, do: "stream", subject: 0, call: 4, items: [{ id: 3, poison: "hang" }, { id: 4 }], options: {} },
      { atMs: 101, do: "predict", subject: 0, call: 6, items: [{ id: 10 }], options: { priority: "user-visible" } },
      { atMs: 100, do: "predict", subject: 0, call: 7, items: [{ id: 11 }], options: { key: "a" } },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a request that leaves a server which asks for time may find no room on the device", async () => {
  const scenario: Scenario = {
    seed: 5_003_138_975,
    baseMs: 8,
    rowMs: 0.5,
    pages: 1,
    subjects: [
      {
        kind: "hybrid",
        page: 0,
        model: "affine",
        options: { maxQueueSize: 2, warmup: false },
        server: { isBinary: true, delayMs: 5, batch: "dynamic", faults: [{ nth: 1, until: 1, does: "429" }] },
        remote: { mode: "prefer-in-cloud", runTimeoutMs: 2000 },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 60, do: "stream", subject: 0, call: 3, items: [{ id: 2 }, { id: 6 }, { id: 7 }], options: {} },
      {
        atMs: 60,
        do: "many",
        subject: 0,
        call: 5,
        items: [{ id: 9 }, { id: 10 }, { id: 11 }, { id: 8 }],
        options: {},
        source: "throwing-return",
      },
      { atMs: 61, do: "restart", subject: 0 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a tab that opens beside shared workers that hang, one after the other, waits for one of them", async () => {
  const options = { executionProviders: ["wasm"], verify: false, shared: true };
  const model = (page: number, own: object) =>
    ({ kind: "model", page, model: "affine", options: { ...options, ...own } }) as const;
  const scenario: Scenario = {
    seed: 5003232995,
    baseMs: 8,
    rowMs: 0.5,
    pages: 2,
    subjects: [
      model(1, { cache: true, warmup: false }),
      model(1, { cache: true, warmup: false }),
      model(1, {}),
      model(0, { warmup: false }),
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 200, do: "open", subject: 1 },
      { atMs: 200, do: "open", subject: 2 },
      { atMs: 0, do: "open", subject: 3 },
      { atMs: 196, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: { priority: "background" } },
      { atMs: 101, do: "predict", subject: 0, call: 2, items: [{ id: 2 }], options: {} },
      { atMs: 321, do: "many", subject: 1, call: 3, items: [{ id: 3 }, { id: 4 }, { id: 5 }], options: {} },
      { atMs: 301, do: "predict", subject: 1, call: 4, items: [{ id: 6 }], options: {} },
      { atMs: 322, do: "many", subject: 2, call: 5, items: [], options: { priority: "user-visible" } },
      {
        atMs: 301,
        do: "stream",
        subject: 2,
        call: 6,
        items: [{ id: 7 }, { id: 8 }, { id: 9 }],
        options: { timeoutMs: 50 },
      },
      { atMs: 300, do: "many", subject: 2, call: 7, items: [{ id: 10 }], options: {} },
      { atMs: 44, do: "predict", subject: 3, call: 8, items: [{ id: 11 }], options: { key: "a" } },
      {
        atMs: 34,
        do: "stream",
        subject: 3,
        call: 9,
        items: [{ id: 12 }, { id: 13, poison: "hang" }, { id: 14 }, { id: 15 }, { id: 16 }],
        options: {},
      },
      { atMs: 49, do: "predict", subject: 3, call: 10, items: [{ id: 17 }], options: { priority: "user-blocking" } },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a worker that ends in its first runs, in which it hears of no lock, is missed at once", async () => {
  const scenario: Scenario = {
    seed: 7000032,
    baseMs: 8,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      { kind: "model", page: 0, model: "brittle", options: { cache: false, picked: true } },
      { kind: "model", page: 0, model: "fixed4", options: { executionProviders: ["wasm"], warmup: false } },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 0, do: "open", subject: 1 },
      { atMs: 115, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: {} },
    ],
    faults: [{ on: "run", nth: 7, does: "exit" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("the check of another tab that ends a shared worker is no evidence against the provider", async () => {
  const scenario: Scenario = {
    seed: 5030001971,
    baseMs: 8,
    rowMs: 0.5,
    pages: 2,
    subjects: [
      {
        kind: "model",
        page: 1,
        model: "brittle",
        options: {
          maxBatchSize: 4,
          executionProviders: ["wasm"],
          cache: false,
          warmup: false,
          shared: true,
          pin: 1,
        },
      },
      {
        kind: "model",
        page: 0,
        model: "brittle",
        options: { maxBatchSize: 4, executionProviders: ["wasm"], cache: false, shared: true, pin: 1 },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 30, do: "open", subject: 1 },
      { atMs: 42, do: "freeze", page: 0 },
      { atMs: 542, do: "thaw", page: 0 },
      { atMs: 61, do: "predict", subject: 1, call: 3, items: [], options: {} },
      { atMs: 96, do: "thaw", page: 0 },
    ],
    faults: [{ on: "time", atMs: 133, does: "evict" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a worker whose handler hangs ends with its model, although a restart has replaced it", async () => {
  const scenario: Scenario = {
    seed: 5040000698,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "handled", page: 0, model: "affine", options: {} }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      {
        atMs: 69,
        do: "predict",
        subject: 0,
        call: 1,
        items: [{ id: 1, act: { at: 0, does: "hang", thrown: "nothing" }, slowMs: 0 }],
        options: {},
      },
      {
        atMs: 138,
        do: "predict",
        subject: 0,
        call: 2,
        items: [{ id: 4, act: { at: 0, does: "throw", thrown: "unreadable" }, slowMs: 0 }],
        options: { transfer: true },
      },
      { atMs: 36517, do: "abort", call: 5 },
      { atMs: 185, do: "restart", subject: 0 },
      { atMs: 700, do: "dispose", subject: 0 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a run that hangs in a group is noticed although its model has been disposed of", async () => {
  const scenario: Scenario = {
    seed: 5070023176,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "group",
        page: 0,
        options: {},
        models: [
          {
            model: "affine",
            options: {
              batching: false,
              maxBatchSize: 2,
              maxQueueDelayMs: 10,
              cache: false,
              warmup: false,
              verify: false,
            },
            sequences: [],
          },
          { model: "fixed4", options: { batching: false, cache: false, warmup: false, verify: false }, sequences: [] },
          {
            model: "twin",
            options: { cache: false, warmup: false, verify: false },
            sequences: [
              { snapshotEvery: 5, initial: 383 },
              { initial: 212 },
              { snapshotEvery: 5, overflow: "drop-oldest", maxQueueSize: 2, initial: 31 },
            ],
          },
          {
            model: "twin",
            options: { batching: { release: "idle" }, maxQueueDelayMs: 40, cache: false, warmup: true },
            sequences: [{}, { idleMs: 5 }],
          },
        ],
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 192, do: "dispose", subject: 0, part: 2 },
      { atMs: 151, do: "predict", subject: 0, part: 3, call: 5, items: [{ id: 5 }], options: {} },
      { atMs: 149, do: "predict", subject: 0, part: 3, call: 9, items: [{ id: 11 }], options: {} },
      { atMs: 275, do: "dispose", subject: 0, part: 3 },
      {
        atMs: 174,
        do: "stream",
        subject: 0,
        part: 4,
        call: 13,
        items: [{ id: 20 }, { id: 21, poison: "hang" }],
        options: {},
      },
      { atMs: 128, do: "predict", subject: 0, part: 4, call: 14, items: [{ id: 26 }], options: {} },
      { atMs: 401, do: "dispose", subject: 0, part: 5 },
      { atMs: 139, do: "dispose", subject: 0, part: 8 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a server is not asked again about items that it has failed without one whose caller has left", async () => {
  const calls = [1, 2, 3, 4, 5, 6].map((id): Scenario["steps"][number] => {
    const item = { id, ...(id === 1 && { poison: "fail" as const }) };
    return { atMs: 6000, do: "predict", subject: 0, call: id, items: [item], options: {} };
  });
  const server = { isBinary: false, delayMs: 1, batch: "dynamic", faults: [] } as const;
  const scenario: Scenario = {
    seed: 9000015230,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "remote", page: 0, options: { batching: { release: "window" } }, server }],
    steps: [{ atMs: 0, do: "open", subject: 0 }, ...calls, { atMs: 6011.52284035529, do: "abort", call: 2 }],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a tab whose join waits while the first tab crashes is not alone in a session that no other joins", async () => {
  const scenario: Scenario = {
    seed: 1730159752,
    baseMs: 8,
    rowMs: 0.01,
    pages: 3,
    subjects: [
      {
        kind: "model",
        page: 0,
        model: "affine",
        options: {
          executionProviders: ["wasm"],
          cache: false,
          verify: false,
          shared: true,
          batching: { release: "window" },
        },
      },
      {
        kind: "model",
        page: 1,
        model: "affine",
        options: { executionProviders: ["wasm"], cache: false, verify: false, shared: true },
      },
      {
        kind: "model",
        page: 2,
        model: "affine",
        options: {
          executionProviders: ["wasm"],
          cache: false,
          verify: false,
          shared: true,
          batching: { release: "window" },
        },
      },
    ],
    steps: [
      { atMs: 7, do: "open", subject: 0 },
      { atMs: 0, do: "open", subject: 1 },
      { atMs: 1158, do: "open", subject: 2 },
      { atMs: 1000, do: "many", subject: 0, call: 1, items: [], options: {} },
      { atMs: 1064, do: "many", subject: 1, call: 26, items: [], options: {} },
      { atMs: 1064, do: "predict", subject: 2, call: 27, items: [], options: {} },
      { atMs: 54, do: "crash", page: 1 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a rewritten model that has memory for one row only is not used, because nothing compares it", async () => {
  const scenario: Scenario = {
    seed: 5110005708,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "group",
        page: 0,
        options: { executionProviders: ["wasm"] },
        models: [
          {
            model: "misread",
            options: { maxBatchSize: 4, maxQueueSize: 2, cache: false, warmup: true },
            sequences: [],
          },
          {
            model: "affine",
            options: { batching: { release: "window" }, maxBatchSize: 2, cache: false, warmup: false, verify: false },
            sequences: [],
          },
        ],
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 483, do: "predict", subject: 0, part: 0, call: 1, items: [{ id: 1 }], options: {} },
    ],
    faults: [{ on: "run", nth: 5, does: "oom" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a restart loses no row that waits in a shared worker, where it has moved", async () => {
  const options = { transfer: true };
  const scenario: Scenario = {
    seed: 5210006739,
    baseMs: 30,
    rowMs: 3,
    pages: 1,
    subjects: [{ kind: "model", page: 0, model: "ragged", options: { warmup: false, shared: true } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 101, do: "predict", subject: 0, call: 3, items: [{ id: 3, isLarge: true }], options: {} },
      { atMs: 104, do: "predict", subject: 0, call: 2, items: [{ id: 2, isLarge: true }], options },
      { atMs: 150, do: "restart", subject: 0 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a row that was lost with its worker is not blamed for a run without it", async () => {
  const batching = { release: "window" };
  const scenario: Scenario = {
    seed: 5220022461,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "model",
        page: 0,
        model: "ragged",
        options: { batching, warmup: false, verify: false, instances: 2 },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 100, do: "predict", subject: 0, call: 1, items: [{ id: 1, isLarge: true }], options: {} },
      {
        atMs: 103,
        do: "many",
        subject: 0,
        call: 2,
        items: [3, 4, 5].map((id) => ({ id, isLarge: true })),
        options: { transfer: true },
      },
      {
        atMs: 107,
        do: "predict",
        subject: 0,
        call: 9,
        items: [{ id: 17, poison: "fail", isLarge: true }],
        options: {},
      },
    ],
    faults: [
      { on: "run", nth: 2, does: "fail" },
      { on: "run", nth: 1, does: "trap" },
    ],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a model on WASM reads what another one of its group has left on the GPU", async () => {
  const group = { executionProviders: ["webgpu", "wasm"] };
  const options = { batching: { release: "window" }, cache: false, warmup: true };
  const scenario: Scenario = {
    seed: 161,
    baseMs: 8,
    rowMs: 0.5,
    pages: 1,
    subjects: [
      { kind: "pipeline", page: 0, options: {}, steps: [{ do: "linked", by: "links", models: 3, group, options }] },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 46_300, do: "predict", subject: 0, call: 16, items: [{ id: 61 }], options: {} },
    ],
    faults: [{ on: "run", nth: 16, does: "fail" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("an item of an engine that was withdrawn has no result that a later call could get", async () => {
  const items = [{ id: 4, poison: "fail" as const }, { id: 8 }, { id: 5 }, { id: 8 }];
  const scenario: Scenario = {
    seed: 14_487,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "engine", page: 0, options: { batching: false, resultCacheSize: 4 } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 36, do: "many", subject: 0, call: 4, items, options: {} },
      { atMs: 51, do: "predict", subject: 0, call: 2, items: [{ id: 5 }], options: {} },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("an item that two calls share runs although the first of them leaves", async () => {
  const scenario: Scenario = {
    seed: 37_359,
    baseMs: 150,
    rowMs: 0.5,
    pages: 1,
    subjects: [{ kind: "engine", page: 0, options: { dedupe: true } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 161, do: "predict", subject: 0, call: 6, items: [{ id: 10 }], options: {} },
      { atMs: 173, do: "predict", subject: 0, call: 8, items: [{ id: 15 }], options: {} },
      { atMs: 184, do: "predict", subject: 0, call: 11, items: [{ id: 16 }], options: {} },
      { atMs: 188, do: "predict", subject: 0, call: 9, items: [{ id: 16 }], options: {} },
      { atMs: 409.75, do: "abort", call: 11 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("tabs that change their session count those of the new one", async () => {
  const executionProviders = ["webgpu", "wasm"];
  const options = { batching: {}, executionProviders, cache: false, warmup: false, shared: true };
  const subject = { kind: "model", page: 0, model: "mixing4", options } as const;
  const scenario: Scenario = {
    seed: 5_280_038_869,
    baseMs: 30,
    rowMs: 3,
    pages: 1,
    subjects: [subject, subject],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 30, do: "open", subject: 1 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a caller who has given nothing away loses no item that it shares with one who has", async () => {
  const batching = { release: "window" };
  const scenario: Scenario = {
    seed: 57_387,
    baseMs: 8,
    rowMs: 3,
    pages: 1,
    subjects: [{ kind: "engine", page: 0, options: { batching, maxQueueDelayMs: 40, dedupe: true } }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 36, do: "predict", subject: 0, call: 7, items: [{ id: 15 }], options: { priority: "background" } },
      { atMs: 75, do: "predict", subject: 0, call: 8, items: [{ id: 16, poison: "hang" }], options: {} },
      {
        atMs: 26,
        do: "stream",
        subject: 0,
        call: 10,
        items: [{ id: 19, poison: "fail" }, { id: 21 }],
        options: { transfer: true },
      },
      { atMs: 35, do: "predict", subject: 0, call: 13, items: [{ id: 21 }], options: {} },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("seed 5300016031: a worker whose run hangs ends once its page, which was frozen after its model was disposed of, goes on", async () => {
  const scenario: Scenario = {
    seed: 5_300_016_031,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "model", page: 0, model: "ragged", options: {} }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      {
        atMs: 103,
        do: "predict",
        subject: 0,
        call: 2,
        items: [{ id: 4, poison: "hang", isLarge: true }],
        options: {},
      },
      { atMs: 111, do: "dispose", subject: 0 },
      { atMs: 135, do: "freeze", page: 0 },
      { atMs: 70_135, do: "thaw", page: 0 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("seed 5512001741: of calls with a key that are made at the same time, the last one has the place of the first", async () => {
  for (let seed = 5_512_001_741; seed < 5_512_001_751; seed++) {
    const scenario: Scenario = {
      seed,
      baseMs: 30,
      rowMs: 3,
      pages: 1,
      subjects: [{ kind: "function", page: 0, options: { maxBatchSize: 1 } }],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 20, do: "stream", subject: 0, call: 8, items: [{ id: 7 }, { id: 8 }, { id: 9 }], options: {} },
        { atMs: 21, do: "predict", subject: 0, call: 15, items: [{ id: 17 }], options: { key: "b" } },
        { atMs: 26, do: "predict", subject: 0, call: 12, items: [{ id: 13 }], options: {} },
        { atMs: 78, do: "predict", subject: 0, call: 11, items: [{ id: 12 }], options: { key: "b" } },
        { atMs: 78, do: "predict", subject: 0, call: 14, items: [{ id: 16 }], options: { key: "b" } },
      ],
      faults: [],
    };
    expect((await examine(scenario, threads)).violations).toEqual([]);
  }
});

test("seed 5600004499: a page that is busy during a run takes that for its time, and plans for it", async () => {
  const scenario: Scenario = {
    seed: 5_600_004_504,
    baseMs: 8,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      { kind: "function", page: 0, options: {} },
      { kind: "model", page: 0, model: "affine", options: {} },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 0, do: "open", subject: 1 },
      { atMs: 20, do: "predict", subject: 0, call: 1, items: [{ id: 1, poison: "hang" }], options: {} },
      { atMs: 20, do: "predict", subject: 0, call: 5, items: [{ id: 10 }], options: {} },
      { atMs: 20, do: "predict", subject: 0, call: 6, items: [{ id: 11 }], options: {} },
      { atMs: 21, do: "predict", subject: 0, call: 2, items: [{ id: 6 }], options: {} },
      { atMs: 22, do: "busy", page: 0, ms: 60 },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("seed 5700016246: after a run that a frozen page has interrupted, one that hangs is missed in time", async () => {
  for (let seed = 5_700_016_255; seed < 5_700_016_275; seed++) {
    const scenario: Scenario = {
      seed,
      baseMs: 30,
      rowMs: 0.01,
      pages: 1,
      subjects: [{ kind: "model", page: 0, model: "ragged", options: { cache: false, warmup: false } }],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 35, do: "predict", subject: 0, call: 1, options: {}, items: [{ id: 4, length: 15 }] },
        { atMs: 35, do: "freeze", page: 0 },
        { atMs: 70_035, do: "thaw", page: 0 },
      ],
      faults: [{ on: "run", nth: 2, does: "hang" }],
    };
    expect((await examine(scenario, threads)).violations).toEqual([]);
  }
});

test("a step that waits for its turn is not preprocessed without its state when another item arrives", async () => {
  const scenario: Scenario = {
    seed: 6105011268,
    baseMs: 8,
    rowMs: 0.5,
    pages: 1,
    faults: [],
    subjects: [
      {
        kind: "group",
        page: 0,
        options: {},
        models: [
          {
            model: "affine",
            options: { batching: { release: "window" }, cache: false, verify: false },
            sequences: [{ snapshotEvery: 2 }],
            hasHandlers: true,
            isRemembered: true,
          },
          {
            model: "affine",
            options: { maxBatchSize: 1, cache: false, verify: false },
            sequences: [{ overflow: "wait", maxQueueSize: 1 }],
            hasHandlers: true,
            isRemembered: true,
          },
          {
            model: "affine",
            options: { maxBatchSize: 2, maxQueueDelayMs: 1, cache: false, verify: false },
            sequences: [
              { overflow: "drop-oldest", maxQueueSize: 1 },
              { snapshotEvery: 2, overflow: "drop-oldest", maxQueueSize: 2 },
            ],
            hasHandlers: true,
            isRemembered: true,
          },
        ],
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 214, do: "predict", subject: 0, part: 0, call: 1, items: [{ id: 1 }], options: {} },
      { atMs: 157, do: "predict", subject: 0, part: 0, call: 5, items: [{ id: 5 }], options: {} },
      { atMs: 185, do: "predict", subject: 0, part: 0, call: 6, items: [{ id: 8 }], options: {} },
      { atMs: 193, do: "predict", subject: 0, part: 1, call: 8, items: [{ id: 10 }], options: {} },
      { atMs: 170, do: "predict", subject: 0, part: 1, call: 9, items: [{ id: 11 }], options: {} },
      { atMs: 148, do: "predict", subject: 0, part: 3, call: 17, items: [{ id: 20, poison: "fail" }], options: {} },
      { atMs: 150, do: "restart", subject: 0, part: 4 },
      { atMs: 137, do: "predict", subject: 0, part: 6, call: 26, items: [{ id: 34 }], options: {} },
      { atMs: 147, do: "predict", subject: 0, part: 6, call: 27, items: [{ id: 35 }], options: {} },
    ],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a batch with a step runs although an item times out while the state is restored", async () => {
  const scenario: Scenario = {
    seed: 6109004279,
    baseMs: 30,
    rowMs: 0.01,
    pages: 1,
    faults: [],
    subjects: [
      {
        kind: "sequences",
        page: 0,
        model: "rnn",
        isRemembered: true,
        options: { verify: false },
        sequences: [
          { snapshotEvery: 2 },
          { snapshotEvery: 5, overflow: "wait", maxQueueSize: 1 },
          {},
          { overflow: "drop-oldest" },
          { overflow: "drop-oldest" },
        ],
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 185, do: "predict", subject: 0, part: 1, call: 4, items: [{ id: 4 }], options: {} },
      { atMs: 358, do: "predict", subject: 0, part: 1, call: 6, items: [{ id: 6 }], options: {} },
      { atMs: 357, do: "predict", subject: 0, part: 2, call: 9, items: [{ id: 9 }], options: {} },
      { atMs: 383, do: "predict", subject: 0, call: 18, items: [{ id: 21 }], options: { timeoutMs: 5 } },
      { atMs: 251, do: "restart", subject: 0 },
    ],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("an item that fails in its handler is told so, although the run of its batch fails", async () => {
  const scenario: Scenario = {
    seed: 6013009755,
    baseMs: 150,
    rowMs: 0.5,
    pages: 1,
    subjects: [
      { kind: "function", page: 0, options: {}, isNested: true },
      {
        kind: "handled",
        page: 0,
        model: "affine",
        options: { executionProviders: ["wasm"], warmup: false, verify: false },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 0, do: "open", subject: 1 },
      { atMs: 236, do: "predict", subject: 0, call: 3, items: [{ id: 6 }], options: {} },
      { atMs: 216, do: "stream", subject: 0, call: 4, items: [{ id: 10 }, { id: 10 }], options: {} },
      {
        atMs: 68,
        do: "predict",
        subject: 1,
        call: 6,
        items: [{ id: 11, act: { at: 0, does: "throw", thrown: "symbol" } }],
        options: { priority: "background" },
      },
      {
        atMs: 87,
        do: "many",
        subject: 1,
        call: 7,
        items: [{ id: 15 }, { id: 16 }],
        options: {},
        source: "throwing-return",
      },
      { atMs: 29, do: "stream", subject: 1, call: 8, items: [{ id: 18 }, { id: 16 }, { id: 19 }], options: {} },
      { atMs: 71, do: "predict", subject: 1, call: 9, items: [{ id: 20 }], options: {} },
      { atMs: 53, do: "predict", subject: 1, call: 10, items: [{ id: 21 }], options: {} },
      {
        atMs: 80,
        do: "predict",
        subject: 1,
        call: 12,
        items: [{ id: 24, act: { at: 0, does: "hang", thrown: "unreadable" } }],
        options: { priority: "background" },
      },
      { atMs: 92, do: "predict", subject: 1, call: 13, items: [{ id: 25 }], options: {} },
    ],
    faults: [{ on: "run", nth: 5, does: "fail" }],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("an item of a size that the model rejects is not blamed for the item behind it that ends the worker", async () => {
  const options = { batching: false, padding: { x: { multipleOf: 3 } } };
  const scenario: Scenario = {
    seed: 9701017545,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    isIsolated: true,
    subjects: [{ kind: "model", page: 0, model: "thirds", options }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 121, do: "predict", subject: 0, call: 5, options: {}, items: [{ id: 6, length: 14 }] },
      { atMs: 108, do: "predict", subject: 0, call: 6, options: {}, items: [{ id: 7, poison: "trap", length: 6 }] },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("an item that a worker has answered in shared memory is not blamed for the item behind it that ends the worker", async () => {
  const options = { executionProviders: ["wasm"], cache: false, warmup: false, verify: false };
  const scenario: Scenario = {
    seed: 255,
    baseMs: 0.2,
    rowMs: 0.01,
    pages: 1,
    isIsolated: true,
    subjects: [{ kind: "model", page: 0, model: "affine", options }],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 200, do: "predict", subject: 0, call: 3, options: {}, items: [{ id: 3 }] },
      { atMs: 200.1, do: "predict", subject: 0, call: 4, options: {}, items: [{ id: 4, poison: "trap" }] },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a server that was left because it was silent may be asked again after the time that begins then", async () => {
  const scenario: Scenario = {
    seed: 9998011548,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "hybrid",
        page: 0,
        model: "affine",
        options: { batching: false },
        server: { isBinary: true, delayMs: 150, batch: "dynamic", faults: [{ nth: 5, until: 7, does: "404" }] },
        remote: { mode: "prefer-in-cloud" },
      },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      {
        atMs: 159,
        do: "stream",
        subject: 0,
        call: 1,
        items: [{ id: 1 }, { id: 2 }, { id: 1 }, { id: 3 }, { id: 2 }],
        options: {},
        source: "leaving",
      },
      { atMs: 398, do: "predict", subject: 0, call: 4, items: [{ id: 5 }], options: {} },
      { atMs: 214, do: "predict", subject: 0, call: 8, items: [{ id: 15 }], options: {} },
      { atMs: 210, do: "predict", subject: 0, call: 9, items: [{ id: 16 }], options: { timeoutMs: 50 } },
    ],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a model that is opened after three deployments answers with the fourth version", async () => {
  const scenario: Scenario = {
    seed: 1,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "model", page: 0, model: "affine", options: {} }],
    steps: [
      { atMs: 200, do: "open", subject: 0 },
      { atMs: 400, do: "predict", subject: 0, call: 1, options: {}, items: [{ id: 1 }] },
    ],
    faults: [0, 39, 98].map((atMs) => ({ on: "time", atMs, does: "deploy" })),
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a tab that has lost two workers on the GPU is not counted with one that opens afterwards", async () => {
  const options = { executionProviders: ["webgpu", "wasm"], warmup: false, verify: false, shared: true };
  const scenario: Scenario = {
    seed: 10605011369,
    baseMs: 0.2,
    rowMs: 0.5,
    pages: 1,
    subjects: [
      { kind: "model", page: 0, model: "affine", options },
      { kind: "model", page: 0, model: "affine", options },
    ],
    steps: [
      { atMs: 0, do: "open", subject: 0 },
      { atMs: 300, do: "open", subject: 1 },
      { atMs: 21, do: "predict", subject: 0, call: 1, items: [{ id: 1, poison: "fail" }], options: {} },
    ],
    faults: [
      { on: "time", atMs: 23, does: "kill" },
      { on: "time", atMs: 145, does: "kill" },
    ],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});

test("a text that ends its workers is found, although each of them measures before what shares steps", async () => {
  const text = (id: number, poison?: "trap") =>
    ({
      atMs: 300,
      do: "predict",
      subject: 0,
      call: id,
      items: [{ id, text: { length: 2, maxNewTokens: 4 }, ...(poison && { poison }) }],
      options: {},
    }) as const;
  const scenario: Scenario = {
    seed: 1,
    baseMs: 8,
    rowMs: 0.01,
    pages: 1,
    subjects: [
      {
        kind: "texts",
        page: 0,
        model: "leftward",
        options: { executionProviders: ["wasm"], cache: false, verify: false },
      },
    ],
    steps: [{ atMs: 0, do: "open", subject: 0 }, text(1, "trap"), text(2)],
    faults: [],
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
});
