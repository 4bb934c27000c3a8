import { expect, test } from "vitest";
import { planComparison } from "../src/measure/comparison-plan.js";

/** Both lanes, warm-ups included. */
function secondsOf(roundMs: number): number {
  const { pairs, warmUp, slice } = planComparison(roundMs);
  return (2 * pairs * ((warmUp?.askingMs ?? 0) + slice.askingMs)) / 1000;
}

test("a quick model is compared for about ten seconds, with warm-ups", () => {
  expect(secondsOf(5)).toBe(9);
  expect(planComparison(5).warmUp).not.toBeNull();
});

test("a slice of a slow model holds two rounds, without a warm-up", () => {
  expect(planComparison(400)).toMatchObject({ warmUp: null, slice: { askingMs: 800 } });
});

test("however slow the model, a comparison asks for no more than a dozen seconds", () => {
  expect(secondsOf(100_000)).toBe(12);
});

test("there are always pairs enough for an interval", () => {
  for (const roundMs of [1, 250, 251, 500, 501, 5000]) expect(planComparison(roundMs).pairs).toBeGreaterThanOrEqual(3);
});
