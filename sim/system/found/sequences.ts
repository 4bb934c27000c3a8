import type { Found } from "./found.js";

/** Programs with sequences and texts that have broken a promise. */
export const SEQUENCES: readonly Found[] = [
  {
    what: "a sequence goes on after a stream that was left while one of its items waited",
    scenario: {
      seed: 224,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "sequences",
          page: 0,
          model: "rnn",
          options: { executionProviders: ["wasm"], cache: false, warmup: false, verify: false },
          sequences: [{}],
        },
      ],
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
    },
  },
  {
    what: "a step that leaves while the item at fault is searched for does not put the blame on another",
    scenario: {
      seed: 40000686,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [{ kind: "sequences", page: 0, model: "twin", options: {}, sequences: [{}, {}, {}, {}, {}] }],
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
    },
  },
  {
    what: "a model survives a run of its check that breaks down while a worker loads it again",
    scenario: {
      seed: 30293238,
      baseMs: 30,
      rowMs: 3,
      pages: 1,
      subjects: [
        { kind: "sequences", page: 0, model: "twin", options: { executionProviders: ["wasm"] }, sequences: [{}] },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 215, do: "predict", subject: 0, part: 0, call: 1, items: [{ id: 10, poison: "hang" }], options: {} },
        { atMs: 455, do: "restart", subject: 0 },
      ],
      faults: [{ on: "run", nth: 10, does: "trap" }],
    },
  },
  {
    what: "a batch with a step runs although an item times out while the state is restored",
    scenario: {
      seed: 6109004279,
      baseMs: 30,
      rowMs: 0.01,
      pages: 1,
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
      faults: [],
    },
  },
  {
    what: "a text that ends its workers is found, although each of them measures before what shares steps",
    scenario: {
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
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        {
          atMs: 300,
          do: "predict",
          subject: 0,
          call: 1,
          items: [{ id: 1, text: { length: 2, maxNewTokens: 4 }, poison: "trap" }],
          options: {},
        },
        {
          atMs: 300,
          do: "predict",
          subject: 0,
          call: 2,
          items: [{ id: 2, text: { length: 2, maxNewTokens: 4 } }],
          options: {},
        },
      ],
      faults: [],
    },
  },
];
