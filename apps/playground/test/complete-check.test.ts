import type { Item, ModelStats, Outputs } from "framebatch";
import { batched } from "framebatch/batched";
import { expect, test } from "vitest";
import { completeCheck } from "../src/comparison/complete-check.js";
import { statsWith } from "./support/comparisons.js";

const LOAD = { callers: 64, item: (caller: number) => ({ x: [caller] }) };

/** A model whose check of batches ends after so many items, with the queue of a real one. */
function modelThat(run: (items: readonly Item[]) => Promise<Outputs[]>, itemsOfCheck = Infinity) {
  let sent = 0;
  const predict = batched((items: readonly Item[]) => {
    sent += items.length;
    return run(items);
  });
  const stats = (): ModelStats => {
    const outcome = sent < itemsOfCheck ? "inconclusive" : "passed";
    return { ...statsWith([]), batchCheck: { outcome, reason: "", fromCache: false } };
  };
  return { predict, stats, sent: () => sent };
}

function answer(items: readonly Item[]): Promise<Outputs[]> {
  return Promise.resolve(items.map(() => ({})));
}

function never(): Promise<Outputs[]> {
  return new Promise(() => {});
}

const none = new AbortController().signal;

test("eight items at a time are sent until the check of batches has an outcome", async () => {
  const model = modelThat(answer, 17);
  await completeCheck(model, LOAD, { stopping: none, late: none });
  expect(model.sent()).toBe(24);
});

test("the comparison goes on when the time is over, although items still run", async () => {
  const late = new AbortController();
  const done = completeCheck(modelThat(never), LOAD, { stopping: none, late: late.signal });
  late.abort(new DOMException("late", "TimeoutError"));
  await expect(done).resolves.toBeUndefined();
});

test("a visitor who stops the comparison ends the check, and so does an item that fails", async () => {
  const stopping = new AbortController();
  const done = completeCheck(modelThat(never), LOAD, { stopping: stopping.signal, late: none });
  stopping.abort(new Error("stopped"));
  await expect(done).rejects.toThrow("stopped");
  const failing = modelThat(() => Promise.reject(new Error("failed")));
  await expect(completeCheck(failing, LOAD, { stopping: none, late: none })).rejects.toThrow("failed");
});
