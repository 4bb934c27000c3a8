import { describe, expect, it } from "vitest";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import type { Cost } from "../model/costs.js";
import { EventLoop } from "./event-loop.js";
import { Ledger } from "./ledger.js";
import { SimRequest } from "./sim-request.js";
import { VirtualFrames } from "./virtual-frames.js";
import { VirtualWorker } from "./virtual-worker.js";

const SPAN = { fromMs: 0, toMs: 1000 };
const QUIET = { share: 0, seed: 1 };

function costOf(ms: Cost["ms"], others: Partial<Cost> = {}): Cost {
  return { name: "", ms, ...others };
}

function batchOf(ids: readonly number[], extents: readonly number[] = []): Batch<SimRequest> {
  const loop = new EventLoop();
  const ledger = new Ledger(loop, new VirtualFrames(loop), SPAN, 200);
  const items = ids.map((id) => new SimRequest(ledger, id, 0, [128], "user-visible"));
  return { id: 1, items, paddedSize: items.length, extents, isAlone: false, reason: "idle", predictedMs: null };
}

describe("the virtual worker", () => {
  it("runs batches one after the other, each for the time of its cost", () => {
    const loop = new EventLoop();
    const worker = new VirtualWorker(
      loop,
      costOf((rows) => 10 + rows),
      QUIET,
      SPAN,
    );
    const ends: number[] = [];
    worker.run(batchOf([1, 2]), () => void ends.push(loop.now()));
    worker.run(batchOf([3]), () => void ends.push(loop.now()));
    loop.run(Infinity);
    expect(ends).toEqual([12, 23]);
    expect(worker.busyMs).toBe(23);
  });

  it("runs on while the page works, which hears of the end later", () => {
    const loop = new EventLoop();
    const page = { callMs: 0.5, messageMs: 1, workerMs: 2, pauseMs: 0 };
    const worker = new VirtualWorker(
      loop,
      costOf(() => 10, { messageMs: 4, page }),
      QUIET,
      SPAN,
    );
    const ends: number[] = [];
    loop.at(0, () => {
      worker.run(batchOf([1]), () => void ends.push(loop.now()));
      worker.run(batchOf([2]), () => void ends.push(loop.now()));
      loop.jump(20);
    });
    loop.run(Infinity);
    // Sent at 1 and 2, run from 3 to 15 and from 15 to 27, ready for the page at 17 and 29; the page is free at 22.
    expect(ends).toEqual([23.5, 30.5]);
    expect(worker.busyMs).toBe(24);
  });

  it("is slower after a pause", () => {
    const loop = new EventLoop();
    const page = { callMs: 0, messageMs: 0, workerMs: 0, pauseMs: 3 };
    const worker = new VirtualWorker(
      loop,
      costOf(() => 10, { page }),
      QUIET,
      SPAN,
    );
    const tookMs = new Map<number, number>();
    for (const atMs of [1, 12, 30]) {
      loop.at(atMs, () => worker.run(batchOf([1]), () => void tookMs.set(atMs, loop.now() - atMs)));
    }
    loop.run(Infinity);
    expect([...tookMs]).toEqual([
      [1, 10],
      [12, 10],
      [30, 13],
    ]);
  });

  it("charges padding by the padded length of the rows", () => {
    const loop = new EventLoop();
    const worker = new VirtualWorker(
      loop,
      costOf((rows) => rows),
      QUIET,
      SPAN,
    );
    worker.run(batchOf([1, 2], [256]), () => {});
    loop.run(Infinity);
    expect(loop.now()).toBe(4);
    expect(worker.paddedVolume).toBe(2 * worker.volume);
  });

  it("deviates from the cost by at most the noise, and by the same amount at the same instant", () => {
    const runMs = (startMs: number): number => {
      const loop = new EventLoop();
      const worker = new VirtualWorker(
        loop,
        costOf(() => 10),
        { share: 0.1, seed: 1 },
        SPAN,
      );
      loop.at(startMs, () => worker.run(batchOf([1]), () => {}));
      loop.run(Infinity);
      return loop.now() - startMs;
    };
    const times = Array.from({ length: 100 }, (_, i) => runMs(i));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(9);
    expect(Math.max(...times)).toBeLessThanOrEqual(11);
    expect(new Set(times).size).toBeGreaterThan(90);
    expect(runMs(7)).toBe(times[7]);
  });

  it("answers each item with its own id", () => {
    const loop = new EventLoop();
    const worker = new VirtualWorker(
      loop,
      costOf(() => 1),
      QUIET,
      SPAN,
    );
    worker.run(batchOf([7, 5]), (outcome) => expect(outcome).toMatchObject({ results: [7, 5] }));
    loop.run(Infinity);
    expect.assertions(1);
  });
});
