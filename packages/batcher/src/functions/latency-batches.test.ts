import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batched } from "./batched.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const OBJECTIVE_MS = 150;
const TOTAL_MS = 6000;

/**
 * Answers in time and late of an engine whose runs take `ms(n)`, one after the other, to calls that come at this pace.
 * @param networkMs time of a request and its answer on the network
 */
async function answers(ms: (rows: number) => number, everyMs: number, networkMs = 0) {
  let freeAtMs = 0;
  const run = batched<number, number>(
    (items) => {
      freeAtMs = Math.max(performance.now(), freeAtMs) + ms(items.length);
      return new Promise((resolve) => setTimeout(() => resolve([...items]), freeAtMs + networkMs - performance.now()));
    },
    { maxLatencyMs: OBJECTIVE_MS },
  );
  const counts = { inTime: 0, late: 0 };
  const ask = (sinceMs: number) =>
    run(0).then(
      () => (counts[performance.now() - sinceMs <= OBJECTIVE_MS ? "inTime" : "late"] += 1),
      () => undefined,
    );
  for (let atMs = 0; atMs < TOTAL_MS; atMs += everyMs) {
    void ask(performance.now());
    await vi.advanceTimersByTimeAsync(everyMs);
  }
  await vi.advanceTimersByTimeAsync(1000);
  return counts;
}

describe("a run of one that takes half of the latency objective", () => {
  const ALONE_MS = 75;
  /** Answers without batches. */
  const SINGLE = TOTAL_MS / ALONE_MS;

  it.each([5, 10])(
    "is tried in batches, with a call every %i ms, and gives several times the answers if they pay",
    async (everyMs) => {
      const { inTime, late } = await answers((rows) => ALONE_MS + (15 * (rows - 1)) / 7, everyMs);
      expect(inTime).toBeGreaterThan(4 * SINGLE);
      expect(late).toBeLessThanOrEqual(3);
    },
  );

  it.each([5, 10])(
    "of a server gives batches, too, with a call every %i ms: with the network it takes more than half",
    async (everyMs) => {
      const { inTime, late } = await answers((rows) => ALONE_MS + (15 * (rows - 1)) / 7, everyMs, 3);
      expect(inTime).toBeGreaterThan(4 * SINGLE);
      expect(late).toBeLessThanOrEqual(5);
    },
  );

  it("stays alone, but for a few tries, if batches do not pay", async () => {
    const { inTime, late } = await answers((rows) => ALONE_MS * rows, 10);
    expect(inTime).toBeGreaterThan(0.9 * SINGLE);
    expect(late).toBeLessThan(0.1 * SINGLE);
  });
});
