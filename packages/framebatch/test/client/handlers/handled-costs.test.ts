import { Tensor } from "onnxruntime-web/wasm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHandledModelAt } from "../../../src/client/model/create-handled-model.js";
import type { BatchedModel } from "../../../src/client/options/model.js";
import type { HandlerModelOptions } from "../../../src/client/options/options.js";
import { keepSource } from "../../../src/client/options/model-source.js";
import { handledSite } from "../../support/channel-worker.js";
import { doublingModel } from "../../support/doubling-model.js";
import { setGpuFault, type GpuFault } from "../../support/gpu-runtime.js";
import { stubBrowser } from "../../support/model-in-node.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../support/gpu-runtime.js"));
vi.mock("onnxruntime-web/jspi", () => import("../../support/gpu-runtime.js"));

/** Number of elements in the tensor of an item: as many as no size that a warm-up guesses. */
const ELEMENTS = 3000;
const MS_PER_ITEM = 48;

/** The item that `preprocess` rejects. */
const BROKEN = "broken";

/** A shape that says nothing of its item. */
const CONSTANT = { shapeOf: () => ({ group: "", extents: [64, 64] }) };

type Photo = string;
type Model = BatchedModel<Photo, number>;

const open: Model[] = [];

beforeEach(() => {
  stubBrowser({ hasGpu: true });
  timeRuns();
});

afterEach(async () => {
  for (const model of open.splice(0)) await model.dispose();
  setGpuFault(null);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Replaces time by the time of runs: each takes as long as its elements, however they are divided into rows. */
function timeRuns(): void {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const timed: GpuFault = async (feeds, run) => {
    for (const input of Object.values(feeds)) {
      if (input instanceof Tensor) nowMs += (input.size * MS_PER_ITEM) / ELEMENTS;
    }
    return run(feeds);
  };
  setGpuFault(timed);
}

async function modelOf(options: Partial<HandlerModelOptions<Photo>> = {}): Promise<Model> {
  const site = handledSite<Photo, number>(() => ({
    preprocess(photo) {
      if (photo === BROKEN) throw new Error("a fault of the test");
      return new Float32Array(ELEMENTS).fill(photo.length);
    },
    postprocess: ({ y }) => Number(y!.data[0]),
  }));
  const model = await createHandledModelAt<Photo, number>(
    site,
    keepSource(doublingModel()),
    {
      cache: false,
      executionProviders: ["webgpu"],
      batching: { release: "idle" },
      verify: { budgetMs: 3_600_000 },
      worker: () => new Worker("unused"),
      ...options,
    },
    site,
  );
  open.push(model);
  return model;
}

/** Asks for photos one by one, then for 16 at once. Returns the sizes of the batches that had these. */
async function burst(model: Model): Promise<number[]> {
  for (let photo = 0; photo < 8; photo++) await model.predict("x");
  const sizes: number[] = [];
  model.addEventListener("batch", ({ detail }) => void sizes.push(detail.size));
  await Promise.all(Array.from({ length: 16 }, () => model.predict("x")));
  return sizes;
}

/**
 * A run of the warm-up that ends while a batch is timed adds a share of its own time, because the worker and the page of
 * this test have one clock. A cost in the wrong unit is off by more than half.
 */
function expectCostOfItems(model: Model): void {
  for (const { size, ms } of model.stats().cost.curve) expect(ms / size / MS_PER_ITEM).toBeCloseTo(1, 0);
}

const SHAPES: [string, Partial<HandlerModelOptions<Photo>>][] = [
  ["no shapeOf", {}],
  ["a constant shapeOf", CONSTANT],
  ["a shapeOf in another unit than the tensors", { shapeOf: (photo) => ({ group: "", extents: [photo.length] }) }],
];

describe("the cost of a model with handlers", () => {
  // users.md, bug 2
  it.each(SHAPES)("is that of its items with %s, whatever the warm-up ran", async (_what, options) => {
    const model = await modelOf(options);
    await burst(model);
    expectCostOfItems(model);
  });

  it("never falls with more rows", async () => {
    const model = await modelOf();
    await burst(model);
    const times = model.stats().cost.curve.map(({ ms }) => ms);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("divides a burst without shapeOf as with a constant one", async () => {
    expect(await burst(await modelOf())).toEqual(await burst(await modelOf(CONSTANT)));
  });

  it("is that of its items with samples", async () => {
    const model = await modelOf({ samples: ["x", "xx"] });
    await burst(model);
    expectCostOfItems(model);
  });

  it("is not learned from a batch whose items all fail in preprocess", async () => {
    const model = await modelOf({ samples: ["x", "xx"] });
    await burst(model);
    const before = model.stats().cost.curve;
    await Promise.allSettled(Array.from({ length: 16 }, () => model.predict(BROKEN)));
    expect(model.stats().cost.curve).toEqual(before);
  });
});
