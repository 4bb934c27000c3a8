import { describe, expect, it } from "vitest";
import { CostModel } from "../src/core/cost-model.js";
import { enclosing, laneKeyOf, volumeOf } from "../src/core/item-volume.js";
import { SizeExplorer } from "../src/core/size-explorer.js";
import { costs } from "./support/known-costs.js";

/** The batches, counted from 1, in which another size than the best was tried. */
function trials(explorer: SizeExplorer, cost: CostModel, queued: number, batches = 200): string[] {
  const tried: string[] = [];
  for (let batch = 1; batch <= batches; batch++) {
    const size = explorer.choose(4, queued, 1, cost);
    if (size !== 4) tried.push(`${batch}: ${size}`);
  }
  return tried;
}

function knowing(sizes: number[]): CostModel {
  const cost = new CostModel(16);
  cost.restore(costs((size) => 8 + size, sizes));
  return cost;
}

describe("the explorer of sizes", () => {
  it("tries a neighbour that was not measured, ever more seldom", () => {
    expect(trials(new SizeExplorer(), knowing([4]), 16)).toEqual([
      "2: 2",
      "6: 2",
      "14: 2",
      "30: 2",
      "62: 2",
      "126: 2",
      "190: 2",
    ]);
  });

  it("tries no more than wait", () => {
    expect(trials(new SizeExplorer(), knowing([2, 4]), 16)[0]).toBe("2: 8");
    expect(trials(new SizeExplorer(), knowing([2, 4]), 7)).toEqual([]);
  });

  it("tries nothing once both neighbours have been measured", () => {
    expect(trials(new SizeExplorer(), knowing([2, 4, 8]), 16)).toEqual([]);
  });

  it("starts over when another size has become the best", () => {
    const explorer = new SizeExplorer();
    trials(explorer, knowing([4]), 16, 130);
    explorer.choose(5, 16, 1, knowing([2, 3, 4, 5, 10]));
    expect(trials(explorer, knowing([4]), 16, 3)).not.toEqual([]);
  });
});

describe("a run of all", () => {
  /** The batches, counted from 1, before which it was due, where each that is due is run, and no other. */
  function dueBefore(explorer: SizeExplorer, batches: number): number[] {
    const due: number[] = [];
    for (let batch = 1; batch <= batches; batch++) {
      if (explorer.isWholeDue) due.push(batch);
      explorer.left(explorer.isWholeDue);
    }
    return due;
  }

  it("is due ever more seldom", () => {
    expect(dueBefore(new SizeExplorer(), 1000)).toEqual([65, 194, 451, 964]);
  });

  it("is not due where it comes by itself, and as soon as at first once it no longer does", () => {
    const explorer = new SizeExplorer();
    dueBefore(explorer, 500);
    for (let batch = 0; batch < 100; batch++) {
      explorer.left(true);
      expect(explorer.isWholeDue).toBe(false);
    }
    expect(dueBefore(explorer, 100)).toEqual([65]);
  });
});

describe("lanes", () => {
  const lane = (...extents: number[]): string => laneKeyOf({ group: "g", extents });

  it("waste at most an eighth of each extent", () => {
    for (let extent = 1; extent <= 4096; extent++) {
      let shortest = extent;
      while (shortest > 1 && lane(shortest - 1) === lane(extent)) shortest -= 1;
      expect((extent - shortest) / extent, `extent ${extent}`).toBeLessThanOrEqual(1 / 8);
    }
  });

  it("are few: eight an octave", () => {
    const keys = new Set(Array.from({ length: 512 }, (_, index) => lane(513 + index)));
    expect(keys.size).toBe(8);
  });

  it("tell groups and axes apart", () => {
    expect(new Set([lane(8, 16), lane(16, 8), lane(), laneKeyOf({ group: "h", extents: [8, 16] })]).size).toBe(4);
  });

  it("have the volume of their extents, and extents that hold all", () => {
    expect([volumeOf([]), volumeOf([3, 4])]).toEqual([1, 12]);
    expect(enclosing([3, 9], [5, 2])).toEqual([5, 9]);
    expect(enclosing([], [])).toEqual([]);
  });
});
