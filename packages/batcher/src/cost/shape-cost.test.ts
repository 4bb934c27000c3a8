import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, LineFit, Overhead } from "./shape-cost.js";

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

interface Point {
  readonly volume: number;
  readonly ms: number;
  readonly weight: number;
}

function fitLine(measured: readonly Point[]): Line {
  const fit = new LineFit();
  for (const { volume, ms, weight } of measured) fit.add(volume, ms, weight);
  return fit.line();
}

const points = (ms: (volume: number) => number, volumes: number[]) =>
  volumes.map((volume) => ({ volume, ms: ms(volume), weight: 1 }));

describe("the fitted line", () => {
  it("matches points on a line", () => {
    const part = fc.double({ min: 0.01, max: 100, noNaN: true });
    fc.assert(
      fc.property(part, part, (fixed, slope) => {
        const line = fitLine(points((volume) => fixed + slope * volume, [1, 2, 7, 16]));
        expect(line.fixedMs).toBeCloseTo(fixed, 4);
        expect(line.msPerVolume).toBeCloseTo(slope, 4);
      }),
    );
  });

  it("is flat at 0 without points", () => {
    expect(fitLine([])).toEqual({ fixedMs: 0, msPerVolume: 0 });
  });

  it("passes through a single point, with half of its time as fixed cost", () => {
    const { fixedMs, msPerVolume } = fitLine(points(() => 20, [4]));
    expect(fixedMs).toBeCloseTo(10, 9);
    expect(fixedMs + 4 * msPerVolume).toBeCloseTo(20, 9);
  });

  it("defect 1: is finite and never negative, even if rows have no volume", () => {
    const volume = fc.oneof(
      fc.constantFrom(0, Number.MIN_VALUE, 2 ** 65),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
    );
    const ms = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e9, noNaN: true }));
    const point = fc.record({ volume, ms, weight: fc.double({ min: 0, max: 8, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(point), volume, (measured, asked) => {
        const { fixedMs, msPerVolume } = fitLine(measured);
        const predictedMs = fixedMs + msPerVolume * asked;
        expect(Number.isFinite(predictedMs) && fixedMs >= 0 && msPerVolume >= 0, String(predictedMs)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(fitLine(points(() => 20, [0]))).toEqual({ fixedMs: 20, msPerVolume: 0 });
  });

  it("never has a negative slope, and never starts below 0", () => {
    expect(fitLine(points((volume) => 20 - volume, [1, 2, 8])).msPerVolume).toBe(0);
    const steep = fitLine(points((volume) => volume ** 2, [1, 2, 8]));
    expect(steep.fixedMs).toBe(0);
    expect(steep.msPerVolume).toBeGreaterThan(0);
  });

  it("follows points with more weight, and fits small times as closely as large ones", () => {
    const [light, heavy] = [
      { volume: 1, ms: 10, weight: 1 },
      { volume: 1, ms: 20, weight: 1000 },
    ];
    const { fixedMs, msPerVolume } = fitLine([light, heavy, { volume: 2, ms: 30, weight: 1000 }]);
    expect(fixedMs + msPerVolume).toBeCloseTo(20, 0);
    const bent = fitLine(points((volume) => (volume === 1 ? 1 : 100 + volume), [1, 100, 200]));
    expect(Math.abs(bent.fixedMs + bent.msPerVolume - 1)).toBeLessThan(0.5);
  });
});
