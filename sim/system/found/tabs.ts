import type { Found } from "./found.js";

/** Programs with tabs that share a session that have broken a promise. */
export const TABS: readonly Found[] = [
  {
    what: "a tab that joined a session of old files before its kill opens the new ones",
    scenario: {
      seed: 298,
      baseMs: 30,
      rowMs: 3,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "fixed4",
          options: { executionProviders: ["webgpu", "wasm"], cache: false, shared: true },
        },
        {
          kind: "model",
          page: 0,
          model: "fixed4",
          options: { executionProviders: ["webgpu", "wasm"], cache: false, shared: true },
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 200, do: "open", subject: 1 },
      ],
      faults: [
        { on: "time", atMs: 27, does: "deploy" },
        { on: "time", atMs: 292, does: "kill" },
      ],
    },
  },
  {
    what: "a tab that joined a session of old files before its trap opens the new ones",
    scenario: {
      seed: 300,
      baseMs: 30,
      rowMs: 3,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "fixed4",
          options: { executionProviders: ["webgpu", "wasm"], cache: false, shared: true },
        },
        {
          kind: "model",
          page: 0,
          model: "fixed4",
          options: { executionProviders: ["webgpu", "wasm"], cache: false, shared: true },
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 200, do: "open", subject: 1 },
      ],
      faults: [
        { on: "time", atMs: 27, does: "deploy" },
        { on: "run", nth: 5, does: "trap" },
      ],
    },
  },
  {
    what: "a run of the check that hangs is found by what the runs before it took",
    answered: 1,
    scenario: {
      seed: 5000958515,
      baseMs: 8,
      rowMs: 0.01,
      pages: 2,
      subjects: [
        {
          kind: "model",
          page: 1,
          model: "affine",
          options: { executionProviders: ["webgpu", "wasm"], cache: true, warmup: false, shared: true },
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 140, do: "predict", subject: 0, call: 1, items: [{ id: 1 }], options: {} },
      ],
      faults: [{ on: "run", nth: 11, does: "hang" }],
    },
  },
  {
    what: "a tab that opens beside shared workers that hang, one after the other, waits for one of them",
    scenario: {
      seed: 5003232995,
      baseMs: 8,
      rowMs: 0.5,
      pages: 2,
      subjects: [
        {
          kind: "model",
          page: 1,
          model: "affine",
          options: { executionProviders: ["wasm"], verify: false, shared: true, cache: true, warmup: false },
        },
        {
          kind: "model",
          page: 1,
          model: "affine",
          options: { executionProviders: ["wasm"], verify: false, shared: true, cache: true, warmup: false },
        },
        {
          kind: "model",
          page: 1,
          model: "affine",
          options: { executionProviders: ["wasm"], verify: false, shared: true },
        },
        {
          kind: "model",
          page: 0,
          model: "affine",
          options: { executionProviders: ["wasm"], verify: false, shared: true, warmup: false },
        },
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
    },
  },
  {
    what: "the check of another tab that ends a shared worker is no evidence against the provider",
    scenario: {
      seed: 5030001971,
      baseMs: 8,
      rowMs: 0.5,
      pages: 2,
      subjects: [
        {
          kind: "model",
          page: 1,
          model: "brittle",
          options: { maxBatchSize: 4, executionProviders: ["wasm"], cache: false, warmup: false, shared: true, pin: 1 },
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
    },
  },
  {
    what: "a tab whose join waits while the first tab crashes is not alone in a session that no other joins",
    scenario: {
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
    },
  },
  {
    what: "a restart loses no row that waits in a shared worker, where it has moved",
    scenario: {
      seed: 5210006739,
      baseMs: 30,
      rowMs: 3,
      pages: 1,
      subjects: [{ kind: "model", page: 0, model: "ragged", options: { warmup: false, shared: true } }],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 101, do: "predict", subject: 0, call: 3, items: [{ id: 3, isLarge: true }], options: {} },
        {
          atMs: 104,
          do: "predict",
          subject: 0,
          call: 2,
          items: [{ id: 2, isLarge: true }],
          options: { transfer: true },
        },
        { atMs: 150, do: "restart", subject: 0 },
      ],
      faults: [],
    },
  },
  {
    what: "tabs that change their session count those of the new one",
    scenario: {
      seed: 5280038869,
      baseMs: 30,
      rowMs: 3,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "mixing4",
          options: { batching: {}, executionProviders: ["webgpu", "wasm"], cache: false, warmup: false, shared: true },
        },
        {
          kind: "model",
          page: 0,
          model: "mixing4",
          options: { batching: {}, executionProviders: ["webgpu", "wasm"], cache: false, warmup: false, shared: true },
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 30, do: "open", subject: 1 },
      ],
      faults: [],
    },
  },
  {
    what: "a tab that has lost two workers on the GPU is not counted with one that opens afterwards",
    scenario: {
      seed: 10605011369,
      baseMs: 0.2,
      rowMs: 0.5,
      pages: 1,
      subjects: [
        {
          kind: "model",
          page: 0,
          model: "affine",
          options: { executionProviders: ["webgpu", "wasm"], warmup: false, verify: false, shared: true },
        },
        {
          kind: "model",
          page: 0,
          model: "affine",
          options: { executionProviders: ["webgpu", "wasm"], warmup: false, verify: false, shared: true },
        },
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
    },
  },
];
