import { describe, expect, it } from "vitest";
import { RunSizes } from "./run-sizes.js";

/** Sizes for a model whose runs of some sizes have been timed. */
function sizesOf(msOf: (rows: number) => number, maxBatchSize = 32): RunSizes {
  const sizes = new RunSizes(maxBatchSize);
  for (let repeat = 0; repeat < 4; repeat += 1) {
    for (const rows of [1, 2, 4, 8, 16, 32]) sizes.observe({ rows, volume: 64 }, msOf(rows));
  }
  return sizes;
}

const mostlyFixed = (rows: number) => 1 + 0.01 * rows;
const mostlyArithmetic = (rows: number) => 0.01 + rows;

describe("the size of a merged run", () => {
  it("is 0 until a run time is known", () => {
    expect(new RunSizes(32).size(4, 4, 64)).toBe(0);
  });

  it("is everything that waits if the fixed cost of a run dominates", () => {
    expect(sizesOf(mostlyFixed).size(16, 16, 64)).toBe(16);
  });

  it("is one row if each row costs the same anyway", () => {
    expect(sizesOf(mostlyArithmetic).size(4, 4, 64)).toBe(1);
  });

  it("is at most the maximum batch size", () => {
    expect(sizesOf(mostlyFixed, 8).size(8, 8, 64)).toBe(8);
    expect(sizesOf(mostlyFixed, 8).size(64, 64, 64)).toBe(8);
  });

  it("is at most half of a run for which there was no memory", () => {
    const sizes = sizesOf(mostlyFixed);
    sizes.foundNoMemory({ rows: 16, volume: 64 });
    expect(sizes.size(16, 16, 64)).toBe(8);
  });
});
