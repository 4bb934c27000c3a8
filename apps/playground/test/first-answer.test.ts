import { expect, test } from "vitest";
import type { Caller } from "../src/measure/callers.js";
import { measureFirstAnswer } from "../src/measure/first-answer.js";
import { statsWith } from "./support/comparisons.js";

test("a burst that is stopped ends its sequences", async () => {
  let open = 0;
  const stopping = new AbortController();
  const caller: Caller = {
    predict: (_, { signal }) =>
      new Promise((__, reject) => signal.addEventListener("abort", () => reject(new Error("Stopped.")))),
  };
  const sequence = () => {
    open++;
    return { ...caller, dispose: async () => void open-- };
  };
  const model = { ...caller, sequence, stats: () => statsWith([]), addEventListener: () => {} };
  const load = { callers: 3, pace: "continuous", hasSequences: true, item: () => [] } as const;
  const measuring = measureFirstAnswer(model, load, { burstsMs: 0, random: () => 0, signal: stopping.signal });
  await expect.poll(() => open).toBe(3);
  stopping.abort();
  await expect(measuring).rejects.toThrow("Stopped.");
  expect(open).toBe(0);
});
