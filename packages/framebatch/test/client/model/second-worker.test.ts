import { describe, expect, it } from "vitest";
import { mayTrySecondWorker, SecondWorker } from "../../../src/client/model/second-worker.js";
import { WorkerPool } from "../../../src/client/workers/worker-pool.js";
import { FramebatchError } from "../../../src/core/errors.js";
import { ManualClock } from "../../support/manual-clock.js";
import { failed, planAt, ready, type Script, scriptedSite } from "../../support/scripted-plan.js";
import { batchesOf } from "../../support/worker-traffic.js";

/** Starts a pool over workers that follow a script, with a second worker on trial. */
async function start(loads: NonNullable<Script["loads"]>) {
  const clock = new ManualClock();
  const site = scriptedSite({ loads }, []);
  const pool = await WorkerPool.start(planAt(site), ["wasm"], 1, new AbortController().signal);
  const second = new SecondWorker(pool, clock);
  const work = async (slowdown: number, ms: number): Promise<void> => {
    const runMs = (workers: number): number => (workers === 2 ? 10 * slowdown : 10);
    for (const batch of batchesOf({ runMs }, () => pool.used, clock.now(), clock.now() + ms)) {
      clock.advanceTo(batch.completedAtMs);
      second.ran(batch);
    }
    await messages();
  };
  const running = () => site.started.filter(({ isTerminated }) => !isTerminated).length;
  return { pool, site, work, running };
}

/** Waits until messages between the threads have arrived, however slow the machine is. */
async function messages(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const WORKS = () => ready("wasm");

describe("a second worker", () => {
  it("stays and runs batches if two workers answer more requests", async () => {
    const { pool, work, running } = await start([WORKS]);
    await work(1.3, 4000);
    await work(1.3, 8000);
    expect([pool.slots.length, pool.used, running()]).toEqual([2, 2, 2]);
    pool.dispose(new FramebatchError("DISPOSED", "over"));
    expect(running()).toBe(0);
  });

  it("ends if it only takes time from the first", async () => {
    const { pool, site, work, running } = await start([WORKS]);
    await work(2, 4000);
    await work(2, 8000);
    expect([pool.slots.length, pool.used, running(), site.started.length]).toEqual([1, 1, 1, 2]);
    pool.dispose(null);
  });

  it("leaves the model as it is if it cannot be started", async () => {
    const { pool, site, work, running } = await start([WORKS, () => failed("wasm")]);
    await work(1, 4000);
    await work(1, 8000);
    expect([pool.state, pool.slots.length, pool.used, running(), site.started.length]).toEqual(["ready", 1, 1, 1, 2]);
    pool.dispose(null);
  });

  it("ends with the model if it is still starting", async () => {
    const { pool, work, running } = await start([WORKS, () => new Promise(() => undefined)]);
    await work(1, 4000);
    expect(running()).toBe(2);
    pool.dispose(new FramebatchError("DISPOSED", "over"));
    await messages();
    expect([running(), pool.slots.length]).toEqual([0, 1]);
  });

  it("ends if the model was unloaded meanwhile", async () => {
    let proceed = (): void => undefined;
    const slow = () => new Promise<ReturnType<typeof ready>>((resolve) => (proceed = () => resolve(ready("wasm"))));
    const { pool, work, running } = await start([WORKS, slow]);
    await work(1, 4000);
    await pool.unload();
    proceed();
    await messages();
    expect([pool.state, pool.slots.length, running()]).toEqual(["unloaded", 1, 0]);
    pool.dispose(null);
  });
});

describe("a model may try a second worker", () => {
  const desktop = { processors: 4, memoryGiB: 8 };
  const onWasm = { session: { model: { provider: "wasm" } } } as const;

  it.each([
    ["on WASM with one thread, on a device with room", true, { instances: "auto" }, onWasm, desktop],
    [
      "in a browser that does not tell its memory",
      true,
      { instances: "auto" },
      onWasm,
      { processors: 2, memoryGiB: null },
    ],
    ["but not by default", false, {}, onWasm, desktop],
    ["but not with a number of instances", false, { instances: 2 }, onWasm, desktop],
    ["but not with several threads", false, { instances: "auto", numThreads: 4 }, onWasm, desktop],
    ["but not on a GPU", false, { instances: "auto" }, { session: { model: { provider: "webgpu" } } }, desktop],
    ["but not on one processor", false, { instances: "auto" }, onWasm, { ...desktop, processors: 1 }],
    ["but not with little memory", false, { instances: "auto" }, onWasm, { ...desktop, memoryGiB: 2 }],
  ] as const)("%s", (_, may, options, pool, host) => {
    expect(mayTrySecondWorker(options, pool, host)).toBe(may);
  });
});
