import { describe, expect, it } from "vitest";
import { Overhead } from "./shape-cost.js";

/** After a first run, which does not count, and one that took 2 ms outside inference. */
function learned(): Overhead {
  const overhead = new Overhead();
  overhead.wholeMs(50, 3, false);
  overhead.wholeMs(5, 3, false);
  return overhead;
}

describe("the overhead of a run", () => {
  it("is not learned from the first run, during which the page's code is compiled", () => {
    const overhead = new Overhead();
    expect(overhead.wholeMs(50, 3, false)).toBe(3);
    expect(overhead.ms).toBe(0);
  });

  it("is learned from runs that had the engine to themselves", () => {
    const overhead = learned();
    expect(overhead.wholeMs(5, 3, false)).toBe(5);
    expect(overhead.ms).toBe(2);
  });

  it("is added to a run whose overhead overlapped with the previous run", () => {
    const overhead = learned();
    expect(overhead.wholeMs(3.5, 3, true)).toBe(5);
    expect(overhead.ms).toBe(2);
  });

  it("is not added if the run took longer in any case", () => {
    expect(learned().wholeMs(9, 3, true)).toBe(9);
  });

  it("is hidden as far as runs that waited took less of it", () => {
    const overhead = learned();
    expect(overhead.hiddenMs).toBe(2);
    overhead.wholeMs(3.5, 3, true);
    expect(overhead.hiddenMs).toBe(1.5);
    for (let run = 0; run < 3; run++) overhead.wholeMs(9, 3, true);
    expect(overhead.hiddenMs).toBe(0);
  });

  it("is never negative, even if two clocks disagree", () => {
    const overhead = new Overhead();
    overhead.wholeMs(3, 3.1, false);
    expect(overhead.wholeMs(3, 3.1, false)).toBe(3);
    expect(overhead.ms).toBe(0);
  });
});
