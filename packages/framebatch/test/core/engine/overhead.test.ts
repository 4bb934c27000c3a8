import { describe, expect, it } from "vitest";
import { Overhead } from "../../../src/core/engine/in-flight.js";

describe("the overhead of a run", () => {
  it("is learned from runs that had the engine to themselves", () => {
    const overhead = new Overhead();
    expect(overhead.ms).toBe(0);
    expect(overhead.wholeMs(5, 3, false)).toBe(5);
    expect(overhead.ms).toBe(2);
  });

  it("is added to a run whose overhead overlapped with the previous run", () => {
    const overhead = new Overhead();
    overhead.wholeMs(5, 3, false);
    expect(overhead.wholeMs(3.5, 3, true)).toBe(5);
    expect(overhead.ms).toBe(2);
  });

  it("is not added if the run took longer in any case", () => {
    const overhead = new Overhead();
    overhead.wholeMs(5, 3, false);
    expect(overhead.wholeMs(9, 3, true)).toBe(9);
  });

  it("is never negative, even if two clocks disagree", () => {
    const overhead = new Overhead();
    expect(overhead.wholeMs(3, 3.1, false)).toBe(3);
    expect(overhead.ms).toBe(0);
  });
});
