import { Tensor } from "onnxruntime-web/wasm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BatchedModel } from "../../client/options/model.js";
import type { HandlerModelOptions } from "../../client/options/options.js";
import { setGpuFault, type GpuFault } from "../../../test/support/gpu-runtime.js";
import { handledModel } from "../../../test/support/handled-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { messages } from "../../../test/support/messages.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));
vi.mock("onnxruntime-web/jspi", () => import("../../../test/support/gpu-runtime.js"));

/** Number of elements in the tensor of an item: as many as no size that a warm-up guesses. */
const ELEMENTS = 3000;
const MS_PER_ITEM = 48;

/** Number of rows in the last runs of a warm-up, of which there are two. No batch of this test has as many. */
const LAST_ROWS = 32;

/** The item that `preprocess` rejects. */
const BROKEN = "broken";

/** A shape that says nothing of its item. */
const CONSTANT = { shapeOf: () => ({ group: "", extents: [64, 64] }) };

type Photo = string;
type Model = BatchedModel<Photo, number>;

const open: Model[] = [];
/** Called after each run of `LAST_ROWS`. */
let onLastRun: () => void;

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

/**
 * Replaces time by the time of runs: each takes as long as its elements, however they are divided into rows. It passes
 * for the page and its worker at once, so only when all messages have arrived: else an answer would seem as late as the
 * next.
 */
function timeRuns(): void {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const timed: GpuFault = async (feeds, run) => {
    const inputs = Object.values(feeds).filter((input) => input instanceof Tensor);
    await messages();
    for (const { size } of inputs) nowMs += (size * MS_PER_ITEM) / ELEMENTS;
    const outputs = await run(feeds);
    if (inputs.some(({ dims }) => dims[0] === LAST_ROWS)) onLastRun();
    return outputs;
  };
  setGpuFault(timed);
}

/** Resolves when the warm-up of the next model has ended: worker and page have one clock here, which its runs move. */
function warmUpOfNext(): Promise<void> {
  let left = 2;
  return new Promise((resolve) => {
    onLastRun = () => {
      left -= 1;
      if (left === 0) resolve();
    };
  });
}

async function modelOf(options: Partial<HandlerModelOptions<Photo>> = {}): Promise<Model> {
  const warmUp = warmUpOfNext();
  const model = await handledModel<Photo, number>(
    () => ({
      preprocess(photo) {
        if (photo === BROKEN) throw new Error("a fault of the test");
        return new Float32Array(ELEMENTS).fill(photo.length);
      },
      postprocess: ({ y }) => Number(y!.data[0]),
    }),
    { executionProviders: ["webgpu"], batching: { release: "idle" }, ...options },
  );
  open.push(model);
  await warmUp;
  await messages();
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

/** A share of a run's messages counts as its time, within a twentieth. A size in another unit would be far off. */
function expectCostOfItems(model: Model): void {
  for (const { size, ms } of model.stats().cost.curve)
    expect(Math.abs(ms / size / MS_PER_ITEM - 1)).toBeLessThan(1 / 20);
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
