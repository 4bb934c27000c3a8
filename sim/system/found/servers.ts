import type { Found } from "./found.js";

/** Programs with models on servers that have broken a promise. */
export const SERVERS: readonly Found[] = [
  {
    what: "a server that has asked for time is not asked again by a request whose connection it had cut before",
    scenario: {
      seed: 23,
      baseMs: 8,
      rowMs: 0.5,
      pages: 1,
      subjects: [
        {
          kind: "hybrid",
          page: 0,
          model: "affine",
          options: { executionProviders: ["wasm"], cache: false, warmup: false, verify: false },
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
    },
  },
  {
    what: "a server that has asked for time is not searched for the item that has failed a batch",
    scenario: {
      seed: 450011906,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "hybrid",
          page: 0,
          model: "affine",
          options: { executionProviders: ["wasm"] },
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
    },
  },
  {
    what: "a request whose time ends while the device loads is told that the server has asked for time",
    scenario: {
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
    },
  },
  {
    what: "a server that has asked for time is asked by a model whose device never loaded",
    scenario: {
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
    },
  },
  {
    what: "a server is left alone for the time that it asks for, also if nobody waits any more for the rest of its answer",
    scenario: {
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
    },
  },
  {
    what: "a request that leaves a server which asks for time may find no room on the device",
    scenario: {
      seed: 5003138975,
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
    },
  },
  {
    what: "a server is not asked again about items that it has failed without one whose caller has left",
    scenario: {
      seed: 9000015230,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "remote",
          page: 0,
          options: { batching: { release: "window" } },
          server: { isBinary: false, delayMs: 1, batch: "dynamic", faults: [] },
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 6000, do: "predict", subject: 0, call: 1, items: [{ id: 1, poison: "fail" }], options: {} },
        { atMs: 6000, do: "predict", subject: 0, call: 2, items: [{ id: 2 }], options: {} },
        { atMs: 6000, do: "predict", subject: 0, call: 3, items: [{ id: 3 }], options: {} },
        { atMs: 6000, do: "predict", subject: 0, call: 4, items: [{ id: 4 }], options: {} },
        { atMs: 6000, do: "predict", subject: 0, call: 5, items: [{ id: 5 }], options: {} },
        { atMs: 6000, do: "predict", subject: 0, call: 6, items: [{ id: 6 }], options: {} },
        { atMs: 6011.52284035529, do: "abort", call: 2 },
      ],
      faults: [],
    },
  },
  {
    what: "a server that was left because it was silent may be asked again after the time that begins then",
    scenario: {
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
    },
  },
];
