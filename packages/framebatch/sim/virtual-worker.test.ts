import { describe, expect, it } from "vitest";
import type { Batch } from "../src/core/engine.js";
import { EventLoop } from "./event-loop.js";
import { Ledger } from "./ledger.js";
import { SimRequest } from "./sim-request.js";
import { VirtualFrames } from "./virtual-frames.js";
import { VirtualWorker } from "./virtual-worker.js";

const SPAN = { fromMs: 0, toMs: 1000 };

function batchOf(ids: readonly number[], extents: readonly number[] = []): Batch<SimRequest> {
  const loop = new EventLoop();
  const ledger = new Ledger(loop, new VirtualFrames(loop), SPAN, 200);
  const items = ids.map((id) => new SimRequest(ledger, id, 0, 128, "user-visible"));
  return { id: 1, items, paddedSize: items.length, extents, reason: "idle" };
}

describe("the virtual worker", () => {
  it("runs one batch after the other, each for as long as the cost says", () => {
    const loop = new EventLoop();
    const worker = new VirtualWorker(loop, (rows) => 10 + rows, 0, () => 0.5, SPAN);
    const ends: number[] = [];
    worker.run(batchOf([1, 2]), () => void ends.push(loop.now()));
    worker.run(batchOf([3]), () => void ends.push(loop.now()));
    loop.run(Infinity);
    expect(ends).toEqual([12, 23]);
    expect(worker.busyMs).toBe(23);
  });

  it("charges padding by the length that rows are padded to", () => {
    const loop = new EventLoop();
    const worker = new VirtualWorker(loop, (rows) => rows, 0, () => 0.5, SPAN);
    worker.run(batchOf([1, 2], [256]), () => {});
    loop.run(Infinity);
    expect(loop.now()).toBe(4);
    expect(worker.paddedVolume).toBe(2 * worker.volume);
  });

  it("answers each item with its own id", () => {
    const loop = new EventLoop();
    const worker = new VirtualWorker(loop, () => 1, 0, () => 0.5, SPAN);
    worker.run(batchOf([7, 5]), (outcome) => expect(outcome).toMatchObject({ results: [7, 5] }));
    loop.run(Infinity);
    expect.assertions(1);
  });
});
