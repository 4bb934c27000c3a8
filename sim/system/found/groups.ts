import type { Found } from "./found.js";

/** Programs with groups, hubs and pipelines that have broken a promise. */
export const GROUPS: readonly Found[] = [
  {
    what: "a handler of a group that hangs after an await is not blamed on another model",
    seeds: 8,
    scenario: {
      seed: 1,
      baseMs: 30,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "group",
          page: 0,
          options: { executionProviders: ["webgpu", "wasm"] },
          models: [
            {
              model: "affine",
              options: { cache: false, runTimeoutMs: 300, verify: false, batching: false },
              sequences: [],
              hasHandlers: true,
            },
            {
              model: "affine",
              options: { cache: false, runTimeoutMs: 300, verify: false, batching: false },
              sequences: [],
            },
          ],
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        {
          atMs: 1000,
          do: "predict",
          subject: 0,
          part: 0,
          call: 1,
          items: [{ id: 1, act: { at: 0, does: "hang", thrown: "error" }, slowMs: 20 }],
          options: {},
        },
        { atMs: 1010, do: "predict", subject: 0, part: 1, call: 2, items: [{ id: 2 }], options: {} },
      ],
      faults: [],
    },
  },
  {
    what: "a model of a group that is checked no more on a GPU leaves no session there",
    scenario: {
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
            {
              model: "affine",
              options: { cache: false, runTimeoutMs: 300, warmup: false, verify: false },
              sequences: [],
              hasHandlers: true,
            },
            { model: "affine", options: { cache: false, runTimeoutMs: 300, warmup: false }, sequences: [] },
          ],
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 294, do: "predict", subject: 0, part: 1, call: 5, items: [{ id: 12 }], options: {} },
      ],
      faults: [{ on: "run", nth: 1, does: "slow" }],
    },
  },
  {
    what: "a hub that loads a model again does not give it out before it knows that its file is the same",
    scenario: {
      seed: 930013475,
      baseMs: 1,
      rowMs: 0.01,
      pages: 1,
      subjects: [
        {
          kind: "hub",
          page: 0,
          options: { memoryBudgetBytes: 60000000 },
          models: [
            {
              is: "plain",
              options: {
                executionProviders: ["wasm"],
                cache: false,
                warmup: false,
                verify: false,
                batching: {},
                maxBatchSize: 32,
                maxQueueDelayMs: 1,
                maxQueueSize: 2,
              },
            },
            {
              is: "plain",
              options: {
                executionProviders: ["wasm"],
                cache: false,
                warmup: false,
                verify: false,
                batching: {},
                maxQueueDelayMs: 1,
              },
            },
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
    },
  },
  {
    what: "a run that hangs in a group is noticed although its model has been disposed of",
    scenario: {
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
            {
              model: "fixed4",
              options: { batching: false, cache: false, warmup: false, verify: false },
              sequences: [],
            },
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
    },
  },
  {
    what: "a rewritten model that has memory for one row only is not used, because nothing compares it",
    scenario: {
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
    },
  },
  {
    what: "a model on WASM reads what another one of its group has left on the GPU",
    scenario: {
      seed: 161,
      baseMs: 8,
      rowMs: 0.5,
      pages: 1,
      subjects: [
        {
          kind: "pipeline",
          page: 0,
          options: {},
          steps: [
            {
              do: "linked",
              by: "links",
              models: 3,
              group: { executionProviders: ["webgpu", "wasm"] },
              options: { batching: { release: "window" }, cache: false, warmup: true },
            },
          ],
        },
      ],
      steps: [
        { atMs: 0, do: "open", subject: 0 },
        { atMs: 46300, do: "predict", subject: 0, call: 16, items: [{ id: 61 }], options: {} },
      ],
      faults: [{ on: "run", nth: 16, does: "fail" }],
    },
  },
  {
    what: "a step that waits for its turn is not preprocessed without its state when another item arrives",
    scenario: {
      seed: 6105011268,
      baseMs: 8,
      rowMs: 0.5,
      pages: 1,
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
      faults: [],
    },
  },
];
