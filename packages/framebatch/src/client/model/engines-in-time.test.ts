import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createBatchedWorkerAt } from "../../handlers/page/create-batched-worker.js";
import type { ServedEngine } from "../../handlers/worker/handlers.js";
import { type ChannelWorker, handledSite } from "../../../test/support/channel-worker.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

beforeEach(() => {
  stubBrowser();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const start = () => new Worker("unused");

/** Opens an engine, and returns what has become of it after some time. */
async function stateAfter(
  seconds: number,
  engineOf: (worker: ChannelWorker) => ServedEngine<number, number>,
): Promise<string> {
  let state = "loading";
  createBatchedWorkerAt(start, {}, handledSite(engineOf)).then(
    (worker) => {
      state = "ready";
      return worker.dispose();
    },
    ({ code, message }: { code: string; message: string }) => (state = `${code}: ${message}`),
  );
  await pass(seconds);
  return state;
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1000);
    // The messages of a channel are no timers.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const run: ServedEngine<number, number>["run"] = (items) => [...items];

it("an engine may load for as long as it needs", async () => {
  const load = () => new Promise((resolve) => setTimeout(resolve, 600_000));
  expect(await stateAfter(590, () => ({ load, run }))).toBe("loading");
});

it("an engine that has loaded slowly is ready", async () => {
  const load = () => new Promise((resolve) => setTimeout(resolve, 200_000));
  expect(await stateAfter(210, () => ({ load, run }))).toBe("ready");
});

it("an engine that blocks its worker while it loads is given up after a minute", async () => {
  // A thread that is blocked sends no sign of life.
  const blocked = (worker: ChannelWorker) => ({
    load() {
      worker.say = () => undefined;
      return new Promise(() => undefined);
    },
    run,
  });
  expect(await stateAfter(100, blocked)).toBe(
    "WORKER_HUNG: expected the worker to load its engine, got no sign of life for 60000 ms; let load return to the event loop while it waits, and raise runTimeoutMs for an engine that computes longer",
  );
});

it("an item for which an engine hangs is repeated alone and rejected, and the others of its batch are answered", async () => {
  const batches: (readonly number[])[] = [];
  const hanging: ServedEngine<number, number> = {
    run(items) {
      batches.push(items);
      return items.includes(666) ? new Promise(() => undefined) : items.map((item) => 2 * item);
    },
  };
  const options = { runTimeoutMs: 2000, batching: { release: "idle" } } as const;
  const opening = createBatchedWorkerAt<number, number>(
    start,
    options,
    handledSite(() => hanging),
  );
  await pass(1);
  const worker = await opening;
  const ends = Promise.allSettled([1, 2, 666, 3].map((item) => worker.predict(item)));
  await pass(60);
  expect(await ends).toMatchObject([{ value: 2 }, { value: 4 }, { reason: { code: "WORKER_HUNG" } }, { value: 6 }]);
  expect(batches.filter((items) => items.includes(666)).at(-1)).toEqual([666]);
  expect(worker.stats().state).toBe("ready");
  await worker.dispose();
});
