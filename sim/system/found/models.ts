import type { Found } from "./found.js";

/** Programs with models on one page that have broken a promise. */
export const MODELS: readonly Found[] = [
  {
    what: "four samples show that rows mix from four on, however slow the model is",
    scenario: {
      seed: 1,
      baseMs: 150,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "mixing4",
          options: {
            executionProviders: ["wasm"],
            batching: { release: "window" },
            samples: [
              [1, 0, 7, 3],
              [2, 2, 6, 3],
              [3, 4, 5, 3],
              [4, 6, 4, 3],
            ],
          },
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 6000, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: {} },
        { atMs: 6000, do: "predict", subject: 0, call: 2, items: [{ id: 2 }], options: {} },
        { atMs: 6000, do: "predict", subject: 0, call: 3, items: [{ id: 3 }], options: {} },
        { atMs: 6000, do: "predict", subject: 0, call: 4, items: [{ id: 4 }], options: {} },
      ],
      faults: [],
    },
  },
  {
    what: "a worker that ends while its frozen page loads a model leaves no listeners",
    scenario: {
      seed: 1,
      baseMs: 30,
      rowMs: 0.01,
      pages: 1,
      subjects: [{ kind: "model", page: 0, model: "fixed4", options: { executionProviders: ["wasm"] } }],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 30, do: "freeze", page: 0 },
        { atMs: 70030, do: "thaw", page: 0 },
      ],
      faults: [{ on: "time", atMs: 45, does: "kill" }],
    },
  },
  {
    what: "a model survives a worker that ends without a word while it loads the model again",
    scenario: {
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
    },
  },
  {
    what: "a call that a thawing page rejects in a later task of the same time was not refused",
    scenario: {
      seed: 610911080,
      baseMs: 30,
      rowMs: 3,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "affine",
          options: { maxLatencyMs: 20, executionProviders: ["wasm"], warmup: false, verify: false },
        },
      ],
      steps: [
        { atMs: 200, do: "open", subject: 0 },
        { atMs: 224, do: "freeze", page: 0 },
        { atMs: 724, do: "thaw", page: 0 },
        { atMs: 247, do: "predict", subject: 0, call: 12, items: [{ id: 21 }], options: { transfer: true } },
        { atMs: 221, do: "predict", subject: 0, call: 13, items: [{ id: 25 }], options: {} },
        { atMs: 220, do: "predict", subject: 0, call: 14, items: [{ id: 26 }], options: {} },
      ],
      faults: [],
    },
  },
  {
    what: "a picked file that changes after 0.25 ms, while a worker starts, fails the load with a code",
    scenario: {
      seed: 1,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "affine",
          options: { executionProviders: ["wasm"], cache: false, warmup: false, verify: false, picked: true },
        },
      ],
      steps: [{ atMs: 0, do: "open", subject: 0 }],
      faults: [{ on: "time", atMs: 0.25, does: "change files" }],
    },
  },
  {
    what: "a picked file that changes after 1 ms, while a worker starts, fails the load with a code",
    scenario: {
      seed: 1,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "affine",
          options: { executionProviders: ["wasm"], cache: false, warmup: false, verify: false, picked: true },
        },
      ],
      steps: [{ atMs: 0, do: "open", subject: 0 }],
      faults: [{ on: "time", atMs: 1, does: "change files" }],
    },
  },
  {
    what: "a picked file that changes after 2 ms, while a worker starts, fails the load with a code",
    scenario: {
      seed: 1,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "affine",
          options: { executionProviders: ["wasm"], cache: false, warmup: false, verify: false, picked: true },
        },
      ],
      steps: [{ atMs: 0, do: "open", subject: 0 }],
      faults: [{ on: "time", atMs: 2, does: "change files" }],
    },
  },
  {
    what: "a picked file that changes after 4 ms, while a worker starts, fails the load with a code",
    scenario: {
      seed: 1,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "affine",
          options: { executionProviders: ["wasm"], cache: false, warmup: false, verify: false, picked: true },
        },
      ],
      steps: [{ atMs: 0, do: "open", subject: 0 }],
      faults: [{ on: "time", atMs: 4, does: "change files" }],
    },
  },
  {
    what: "an item that had moved to a worker settles as soon as the end of the worker is certain",
    scenario: {
      seed: 3028441865,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "ragged",
          options: { executionProviders: ["webgpu", "wasm"], warmup: false, verify: false },
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 20, do: "predict", subject: 0, call: 1, items: [{ id: 1, isLarge: true }], options: {} },
        { atMs: 21, do: "predict", subject: 0, call: 2, items: [{ id: 2, isLarge: true }], options: {} },
        {
          atMs: 21,
          do: "predict",
          subject: 0,
          call: 3,
          items: [{ id: 3, isLarge: true }],
          options: { transfer: true },
        },
      ],
      faults: [{ on: "run", nth: 3, does: "exit" }],
    },
  },
  {
    what: "a page that has ended does nothing any more, not even with the lock of its worker",
    scenario: {
      seed: 5001147111,
      baseMs: 30,
      rowMs: 3,
      pages: 1,
      subjects: [{ kind: "model", page: 0, model: "ragged", options: { warmup: false, verify: false } }],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 100, do: "predict", subject: 0, call: 3, items: [{ id: 7, isLarge: true }], options: {} },
        {
          atMs: 101,
          do: "predict",
          subject: 0,
          call: 4,
          items: [{ id: 8, isLarge: true }],
          options: { transfer: true },
        },
        { atMs: 117, do: "crash", page: 0 },
      ],
      faults: [],
    },
  },
  {
    what: "a worker that ends in its first runs, in which it hears of no lock, is missed at once",
    scenario: {
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
    },
  },
  {
    what: "a row that was lost with its worker is not blamed for a run without it",
    scenario: {
      seed: 5220022461,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "ragged",
          options: { batching: { release: "window" }, warmup: false, verify: false, instances: 2 },
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
          items: [
            { id: 3, isLarge: true },
            { id: 4, isLarge: true },
            { id: 5, isLarge: true },
          ],
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
    },
  },
  {
    what: "a worker whose run hangs ends once its page, which was frozen after its model was disposed of, goes on",
    scenario: {
      seed: 5300016031,
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
        { atMs: 70135, do: "thaw", page: 0 },
      ],
      faults: [],
    },
  },
  {
    what: "after a run that a frozen page has interrupted, one that hangs is missed in time",
    seeds: 20,
    scenario: {
      seed: 5700016255,
      baseMs: 30,
      rowMs: 0.01,
      pages: 1,
      subjects: [{ kind: "model", page: 0, model: "ragged", options: { cache: false, warmup: false } }],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 35, do: "predict", subject: 0, call: 1, options: {}, items: [{ id: 4, length: 15 }] },
        { atMs: 35, do: "freeze", page: 0 },
        { atMs: 70035, do: "thaw", page: 0 },
      ],
      faults: [{ on: "run", nth: 2, does: "hang" }],
    },
  },
  {
    what: "an item of a size that the model rejects is not blamed for the item behind it that ends the worker",
    scenario: {
      seed: 9701017545,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      isIsolated: true,
      subjects: [
        { kind: "model", page: 0, model: "thirds", options: { batching: false, padding: { x: { multipleOf: 3 } } } },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 121, do: "predict", subject: 0, call: 5, options: {}, items: [{ id: 6, length: 14 }] },
        { atMs: 108, do: "predict", subject: 0, call: 6, options: {}, items: [{ id: 7, poison: "trap", length: 6 }] },
      ],
      faults: [],
    },
  },
  {
    what: "an item that a worker has answered in shared memory is not blamed for the item behind it that ends the worker",
    scenario: {
      seed: 255,
      baseMs: 0.2,
      rowMs: 0.01,
      pages: 1,
      isIsolated: true,
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
        { atMs: 200, do: "predict", subject: 0, call: 3, options: {}, items: [{ id: 3 }] },
        { atMs: 200.1, do: "predict", subject: 0, call: 4, options: {}, items: [{ id: 4, poison: "trap" }] },
      ],
      faults: [],
    },
  },
  {
    what: "a model that is opened after three deployments answers with the fourth version",
    scenario: {
      seed: 1,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [{ kind: "model", page: 0, model: "affine", options: {} }],
      steps: [
        { atMs: 200, do: "open", subject: 0 },
        { atMs: 400, do: "predict", subject: 0, call: 1, options: {}, items: [{ id: 1 }] },
      ],
      faults: [
        { on: "time", atMs: 0, does: "deploy" },
        { on: "time", atMs: 39, does: "deploy" },
        { on: "time", atMs: 98, does: "deploy" },
      ],
    },
  },
];
