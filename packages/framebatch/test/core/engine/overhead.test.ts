import { describe, expect, it } from "vitest";
import { Overhead } from "../../../src/core/engine/in-flight.js";

describe("what a run takes beside its inference", () => {
  it("is learned from runs that had the engine to themselves", () => {
    const overhead = new Overhead();
    expect(overhead.ms).toBe(0);
    expect(overhead.wholeMs(5, 3, false)).toBe(5);
    expect(overhead.ms).toBe(2);
  });

  it("is added to a run that hid it behind the one before", () => {
    const overhead = new Overhead();
    overhead.wholeMs(5, 3, false);
    expect(overhead.wholeMs(3.5, 3, true)).toBe(5);
    expect(overhead.ms).toBe(2);
  });

  it("is not added where the run took longer anyway", () => {
    const overhead = new Overhead();
    overhead.wholeMs(5, 3, false);
    expect(overhead.wholeMs(9, 3, true)).toBe(9);
  });

  it("is never less than nothing, whatever two clocks say", () => {
    const overhead = new Overhead();
    expect(overhead.wholeMs(3, 3.1, false)).toBe(3);
    expect(overhead.ms).toBe(0);
  });
});
