import { expect, test } from "vitest";
import { expectedSliceMs, planComparison } from "../src/measure/comparison-plan.js";

/** Duration of both lanes, including warm-ups, in seconds. */
function secondsOf(roundMs: number): number {
  const { pairs, warmUp, slice } = planComparison(roundMs);
  return (2 * pairs * ((warmUp?.askingMs ?? 0) + slice.askingMs)) / 1000;
}

test("a fast model gets a comparison of about ten seconds, with warm-ups", () => {
  expect(secondsOf(5)).toBe(9);
  expect(planComparison(5).warmUp).not.toBeNull();
});

test("a slice of a slow model contains two rounds and has no warm-up", () => {
  expect(planComparison(400)).toMatchObject({ warmUp: null, slice: { askingMs: 800 } });
});

test("a comparison takes at most twelve seconds, even with a very slow model", () => {
  expect(secondsOf(100_000)).toBe(12);
});

test("an unclear result gets at most about twice as many slices", () => {
  for (const roundMs of [1, 300, 5000]) {
    const { pairs, maxPairs } = planComparison(roundMs);
    expect(maxPairs).toBeGreaterThan(pairs);
    expect(maxPairs).toBeLessThanOrEqual(2 * pairs + 1);
  }
});

test("the expected time contains the last answers, up to the cut", () => {
  expect(expectedSliceMs(planComparison(50), 50)).toBe(150 + 50 + 600 + 50);
  expect(expectedSliceMs(planComparison(5000), 5000)).toBe(2000 + 2000);
});

test("every plan has enough pairs for an interval", () => {
  for (const roundMs of [1, 250, 251, 500, 501, 5000]) expect(planComparison(roundMs).pairs).toBeGreaterThanOrEqual(3);
});
