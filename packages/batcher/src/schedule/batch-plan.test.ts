import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planBatch, formBatch } from "./batch-plan.js";
import { CostModel } from "../cost/cost-model.js";
import { laneOrderOf } from "../queue/shape.js";
import type { QueuedRequest } from "../queue/request.js";
import { RequestQueue } from "../queue/request-queue.js";
import { queued } from "../../test/support/queued.js";

type Asked = Parameters<typeof queued>[1];

/** Runs that take `fixedMs` and 1 ms per volume of 100. */
function costing(fixedMs: number, allowedSizes: readonly number[] = []): CostModel {
  const cost = new CostModel(64, allowedSizes);
  for (const size of [1, 4, 16, 64])
    for (const volume of [10, 100, 1000]) cost.observe(size, volume, fixedMs + (size * volume) / 100);
  return cost;
}

const sized = (sequence: number, extents: readonly number[], asked: Asked = {}) =>
  queued(`r${sequence}`, { shape: { group: "", extents }, ...asked });

function queueOf(requests: readonly QueuedRequest<string, string>[]): RequestQueue<string, string> {
  const queue = new RequestQueue<string, string>();
  for (const request of requests) queue.push(request);
  return queue;
}

/** The members of the batch that the first request leads, in the order in which they are taken. */
function planned(
  requests: readonly QueuedRequest<string, string>[],
  cost: CostModel,
  maxSize = 64,
  turn = { startMs: 0, hiddenMs: 0 },
): string[] {
  const queue = queueOf(requests);
  const plan = planBatch(queue, requests[0]!, maxSize, cost, turn);
  const members: QueuedRequest<string, string>[] = [];
  const extents = formBatch(queue, plan, plan.size, (request) => {
    queue.remove(request, "running");
    members.push(request);
  });
  for (const { shape } of members) {
    for (const [axis, extent] of shape.extents.entries()) expect(extent).toBeLessThanOrEqual(extents[axis]!);
  }
  return members.map(({ shape }) => shape.extents.join("x"));
}

const lengths = (...sizes: readonly number[]) => sizes.map((size, index) => sized(index + 1, [size]));

describe("the members of a batch", () => {
  it("include every request if a run costs far more than padding", () => {
    expect(planned(lengths(100, 8, 512), costing(100))).toEqual(["100", "8", "512"]);
  });

  it("include only the leader if a run costs almost nothing", () => {
    expect(planned(lengths(100, 8, 512), costing(0.01))).toEqual(["100"]);
  });

  it("include only the leader if the fixed cost of a run is hidden behind another run", () => {
    expect(planned(lengths(100, 8, 512), costing(100), 64, { startMs: 0, hiddenMs: 100 })).toEqual(["100"]);
  });

  it("include a request if it costs less in the leader's run than in the run of all remaining requests", () => {
    // Two short items in a run at 100 cost 1.6 ms more than at 20, which is less than the fixed cost of a run. With the
    // ten others that run takes place in any case.
    expect(planned(lengths(100, 20, 20), costing(2))).toEqual(["100", "20", "20"]);
    const crowd = Array.from({ length: 10 }, () => 22);
    expect(planned(lengths(100, 20, 20, ...crowd), costing(2))).toEqual(["100"]);
  });

  it("include the leader's own lane in any case, up to the maximum size", () => {
    const requests = lengths(500, 10, 500, 10, 500, 10);
    expect(planned(requests, costing(100), 2)).toEqual(["500", "500"]);
  });

  it("depend on the rows that padding the batch adds", () => {
    expect(planned(lengths(100, 100, 100, 80), costing(0.5, [4, 64]))).toEqual(["100", "100", "100", "80"]);
    expect(planned(lengths(100, 100, 100, 100, 80), costing(2, [4, 64]))).toEqual(["100", "100", "100", "100"]);
  });

  it("depend on both of two sizes, even if the volumes are similar", () => {
    const requests = [
      [10, 100],
      [100, 10],
      [10, 90],
      [33, 33],
    ].map((extents, index) => sized(index + 1, extents));
    expect(planned(requests, costing(10))).toEqual(["10x100", "10x90"]);
  });

  it("cost the least time of all ways to split the queue by length, for any queue", () => {
    const items = fc.uniqueArray(fc.constantFrom(...LANES), { minLength: 1, maxLength: 9 });
    const most = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(items, fc.constantFrom(0.01, 0.2, 1, 5), most, (sizes, fixedMs, maxSize) => {
        const cost = costing(fixedMs);
        const taken = planned(lengths(...sizes), cost, maxSize).map(Number);
        const rest = sizes.filter((size) => !taken.includes(size));
        const ours = runMs(taken, cost) + leastMs(rest, maxSize, cost);
        expect(ours).toBeLessThanOrEqual(leastMs(sizes, maxSize, cost) + 1e-9);
      }),
    );
  });
});

/** Lengths that each have a lane of their own. */
const LANES = [1, 2, 3, 5, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 44, 52, 60];

/** The time of one run of these items according to the fitted line. */
function runMs(sizes: readonly number[], { line }: CostModel): number {
  return line.fixedMs + sizes.length * Math.max(...sizes) * line.msPerVolume;
}

/** The least time for all of these items, over every way to split them by length into runs of at most `maxSize`. */
function leastMs(sizes: readonly number[], maxSize: number, cost: CostModel): number {
  const sorted = sizes.toSorted((a, b) => a - b);
  const least = [0];
  for (let end = 1; end <= sorted.length; end++) {
    const ways = sorted.slice(0, end).map((_, start) => {
      const run = sorted.slice(start, end);
      return run.length > maxSize ? Infinity : least[start]! + runMs(run, cost);
    });
    least.push(Math.min(...ways));
  }
  return least.at(-1)!;
}

describe("deadlines of batch members", () => {
  it("exclude requests that would make the leader late", () => {
    const requests = (timeoutAtMs: number) => [sized(1, [10], { timeoutAtMs }), sized(2, [500]), sized(3, [500])];
    expect(planned(requests(200), costing(100))).toHaveLength(3);
    expect(planned(requests(105), costing(100))).toEqual(["10"]);
  });
});

describe("the order of lanes", () => {
  it("follows the size if there is only one", () => {
    const orders = Array.from({ length: 600 }, (_, size) => laneOrderOf([size + 1]));
    expect(orders).toEqual(orders.toSorted((a, b) => a - b));
  });

  it("keeps boxes of two sizes together", () => {
    const corner = [
      [8, 8],
      [15, 15],
      [8, 15],
      [15, 8],
    ].map(laneOrderOf);
    const outside = [
      [16, 8],
      [8, 16],
      [64, 64],
      [4, 15],
    ].map(laneOrderOf);
    for (const order of outside) {
      expect(order > Math.max(...corner) || order < Math.min(...corner)).toBe(true);
    }
  });
});
