import { type HandlerModelOptions, hasHandlers } from "../../client/options/options.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHub } from "../../hub/page/create-hub.js";
import { createHandledModelAt } from "./create-handled-model.js";
import type { BatchedModel } from "../../client/options/model.js";
import { keepModel, keepSource } from "../../client/options/model-source.js";
import { type ChannelWorker, handledSite } from "../../../test/support/channel-worker.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { setGpuFault } from "../../../test/support/gpu-runtime.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { messages } from "../../../test/support/messages.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));

interface Numbers {
  readonly data: Float32Array | null;
}

const models: Pick<BatchedModel<unknown, unknown>, "dispose">[] = [];

beforeEach(() => stubBrowser({ hasGpu: true }));

afterEach(async () => {
  setGpuFault(null);
  for (const model of models.splice(0)) await model.dispose();
  vi.unstubAllGlobals();
});

/** Batches of three that wait for as long as a test likes. */
const OF_THREE = {
  batching: { release: "window" },
  maxQueueDelayMs: 3_600_000,
  maxBatchSize: 3,
  allowedBatchSizes: [3],
} as const;

/**
 * A model that doubles the number that an item holds. `seen` records what `preprocess` got.
 * @param onResult called in the worker before each result
 */
function reader(changes: Partial<HandlerModelOptions<Numbers>> = {}, onResult: () => void = () => {}) {
  const seen: number[] = [];
  const workers: ChannelWorker[] = [];
  const site = handledSite<Numbers, number>((worker) => {
    workers.push(worker);
    return {
      preprocess({ data }) {
        seen.push(Number(data?.[0]));
        return Float32Array.from(data ?? []);
      },
      // The item is there for both handlers, whichever worker ran `preprocess`.
      postprocess({ y }, { data }) {
        const result = data === null ? Number.NaN : Number(y?.data[0]);
        onResult();
        return result;
      },
    };
  });
  const options: HandlerModelOptions<Numbers> = {
    worker: () => new Worker("unused"),
    cache: false,
    executionProviders: ["wasm"],
    verify: false,
    warmup: false,
    ...OF_THREE,
    ...changes,
  };
  return { seen, workers, site, options };
}

async function load({ site, options }: ReturnType<typeof reader>): Promise<BatchedModel<Numbers, number>> {
  const model = await createHandledModelAt<Numbers, number>(site, keepSource(doublingModel()), options, site);
  models.push(model);
  return model;
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

function moved(model: BatchedModel<Numbers, number>, value: number): Promise<number> {
  return model.predict({ data: Float32Array.of(value) }, { transfer: true });
}

const LOST = { name: "Error", message: "the test ended it", stack: undefined, details: {}, cause: undefined } as const;

// defect E9: only a crash loses items that have moved to a worker.
describe("items that have moved to a worker", () => {
  it("wait while a hub unloads the model, and are answered by the next worker", async () => {
    const { seen, site, options } = reader();
    const hub = createHub((source, settings, onUse) => {
      if (!hasHandlers(settings)) throw new Error("expected a model with handlers");
      return createHandledModelAt<unknown, unknown>(site, keepModel(source), settings, site, onUse);
    }, {});
    models.push(hub);
    hub.register("reader", doublingModel(), options);
    const model = await hub.get<Numbers, number>("reader");
    const waiting = [moved(model, 1), moved(model, 2)];
    await messages();
    expect(seen).toEqual([1, 2]);
    await hub.unload("reader");
    expect(await Promise.all([...waiting, moved(model, 3)])).toEqual([2, 4, 6]);
    expect(seen).toEqual([1, 2, 3]);
    expect(site.started.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
  });

  it("are answered after a restart that interrupts their batch, and those that still wait too", async () => {
    const parts = reader({ executionProviders: ["webgpu"] });
    const model = await load(parts);
    const held = gate();
    setGpuFault(async (feeds, run) => {
      await held.opened;
      return run(feeds);
    });
    const waiting = [1, 2, 3, 4].map((value) => moved(model, value));
    await messages();
    const restarted = model.restart();
    held.open();
    await restarted;
    expect(await Promise.all([...waiting, moved(model, 5), moved(model, 6)])).toEqual([2, 4, 6, 8, 10, 12]);
    expect(parts.seen.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("are answered if restarts begin while their answer is on its way", async () => {
    const restarts: Promise<void>[] = [];
    const parts = reader({}, () => {
      if (restarts.length === 0) restarts.push(model.restart(), model.restart());
    });
    const model = await load(parts);
    expect(await Promise.all([1, 2, 3].map((value) => moved(model, value)))).toEqual([2, 4, 6]);
    await Promise.all(restarts);
    expect(parts.seen).toEqual([1, 2, 3]);
    expect(parts.workers.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
  });

  it("move on with the model to another provider", async () => {
    const parts = reader({ executionProviders: ["webgpu", "wasm"] });
    const model = await load(parts);
    const waiting = [moved(model, 1), moved(model, 2)];
    await messages();
    parts.workers[0]?.say({ notice: "checked", check: { outcome: "failed", reason: "a test", fromCache: false } });
    await expect.poll(() => model.executionProvider, { timeout: 60_000 }).toBe("wasm");
    model.flush();
    expect(await Promise.all(waiting)).toEqual([2, 4]);
  });

  it("are answered although their batch fails in one of two workers", async () => {
    const parts = reader({ executionProviders: ["webgpu"], instances: 2 });
    const model = await load(parts);
    const first = gate();
    let hasFailed = false;
    setGpuFault(async (feeds, run) => {
      if (hasFailed || feeds["x"]?.data[0] !== 4) return run(feeds);
      await first.opened;
      hasFailed = true;
      throw new Error("a fault of a test");
    });
    const answers = [1, 2, 3, 4, 5, 6].map((value) => moved(model, value));
    expect(await Promise.all(answers.slice(0, 3))).toEqual([2, 4, 6]);
    // Both workers are idle from now on, so the batch runs again in the other one.
    first.open();
    expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10, 12]);
  });

  it("are lost with a worker that crashes", async () => {
    const parts = reader();
    const model = await load(parts);
    const waiting = moved(model, 1);
    await messages();
    parts.workers[0]?.say({ notice: "lost", error: { ...LOST, code: "WORKER_CRASHED" } });
    model.flush();
    await expect(waiting).rejects.toMatchObject({ code: "WORKER_CRASHED" });
  });

  it("leave no trace if they are aborted while they come back", async () => {
    const parts = reader();
    const model = await load(parts);
    const aborting = new AbortController();
    const { signal } = aborting;
    const waiting = model.predict({ data: Float32Array.of(1) }, { transfer: true, signal });
    await messages();
    const restarted = model.restart();
    aborting.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    await restarted;
    expect(await model.predictMany([2, 3, 4].map((value) => ({ data: Float32Array.of(value) })))).toEqual([4, 6, 8]);
  });
});
