import { expect, test } from "vitest";
import { ANSWER_MS, expectedSliceMs, planComparison } from "../src/measure/comparison-plan.js";

const ROUNDS_MS = [1, 250, 251, 500, 501, 3000];

/** Duration of both lanes, with warm-ups and with the time for missing answers, in ms. */
function longestMsOf(roundMs: number, leftMs: number): number {
  const { pairs, warmUp, slice } = planComparison(roundMs, leftMs);
  return 2 * pairs * ((warmUp?.askingMs ?? 0) + slice.askingMs + Math.min(roundMs, slice.drainMs));
}

test("a fast model gets a comparison of about ten seconds, with warm-ups", () => {
  expect(longestMsOf(5, ANSWER_MS)).toBe(9060);
  expect(planComparison(5, ANSWER_MS).warmUp).not.toBeNull();
});

test("a slice of a slow model contains two rounds, has no warm-up, and is its own burst", () => {
  expect(planComparison(400, ANSWER_MS)).toMatchObject({ warmUp: null, slice: { askingMs: 800 }, burstsMs: null });
});

test("a comparison ends in time, whatever a round takes", () => {
  for (const roundMs of ROUNDS_MS) expect(longestMsOf(roundMs, 20_000), `${roundMs} ms`).toBeLessThanOrEqual(20_000);
  expect(longestMsOf(100_000, 20_000)).toBeLessThanOrEqual(20_000);
});

test("a patient visitor gets slices that a slow round fits into", () => {
  const { slice } = planComparison(9000, 150_000);
  expect(slice.askingMs).toBeGreaterThanOrEqual(9000);
});

test("an unclear result gets at most about twice as many slices", () => {
  for (const roundMs of ROUNDS_MS) {
    const { pairs, maxPairs } = planComparison(roundMs, ANSWER_MS);
    expect(maxPairs).toBeGreaterThan(pairs);
    expect(maxPairs).toBeLessThanOrEqual(2 * pairs + 1);
  }
});

test("the expected time contains the last answers, up to the cut", () => {
  expect(expectedSliceMs(planComparison(50, ANSWER_MS), 50)).toBe(150 + 50 + 600 + 50);
});

test("every plan has enough pairs for an interval", () => {
  for (const roundMs of ROUNDS_MS) expect(planComparison(roundMs, ANSWER_MS).pairs).toBeGreaterThanOrEqual(3);
});
