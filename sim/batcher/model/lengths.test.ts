import process from "node:process";
import { describe, expect, it } from "vitest";
import { lengthCells, runLengths } from "./lengths.js";

/** The share of the computed volume that is padding, in whole per cent, with first-come batches and with framebatch. */
const WASTED: readonly (readonly [items: string, cost: string, firstCome: number, ours: number])[] = [
  ["log-uniform 8 to 512, load 80 %", "0.3+0.1n", 75, 14],
  ["uniform 8 to 512, load 80 %", "0.3+0.1n", 49, 12],
  ["log-uniform 8 to 512, 256 callers", "0.1+1n", 75, 1],
  ["two sizes, each 4 to 32, load 80 %", "0.3+0.1n", 81, 15],
];

describe("items of mixed sizes under load", () => {
  // One load with an end, and one without.
  it.each(process.env["FRAMEBATCH_ALL"] === undefined ? WASTED.slice(1, 3) : WASTED)(
    "%s, %s: padding is %d per cent of the computed volume with first-come batches, and %d with framebatch",
    (...expected) => {
      const [items, cost, ...wasted] = expected;
      const cells = lengthCells().filter((cell) => cell.arrivals === items && cell.cost.name === cost);
      const [firstCome, idle] = runLengths(cells, 1, ["first come", "idle"]);
      expect([firstCome, idle].map((row) => Math.round(100 * (row?.paddingWaste ?? NaN)))).toEqual(wasted);
      expect(idle?.throughputPerSec).toBeGreaterThan(firstCome?.throughputPerSec ?? NaN);
      expect(idle?.p99Ms).toBeLessThan(firstCome?.p99Ms ?? NaN);
    },
  );
});
