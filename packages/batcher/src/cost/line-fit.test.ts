import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, LineFit } from "./line-fit.js";

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
