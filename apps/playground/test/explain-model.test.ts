import type { ModelStats, TensorInfo } from "framebatch";
import { expect, it } from "vitest";
import { batchNotes, explainBatching } from "../src/scenes/your-model/explain-model.js";

type Check = ModelStats["batchCheck"]["outcome"];

function input(batch: number | null, batchAxis: number | null = 0): TensorInfo {
  return { name: "x", type: "float32", dims: [batch, 4], symbols: [null, null], batchAxis };
}

function explain(inputs: readonly TensorInfo[], outcome: Check = "passed", isRebatched = false): string {
  return explainBatching(inputs, { batchCheck: { outcome, reason: "", fromCache: false }, isRebatched });
}

it("says in one sentence whether a model batches, and why", () => {
  expect(explain([input(null)])).toBe("Batchable: its items are stacked along axis 0.");
  expect(explain([input(4)])).toMatch(/^Batchable in exactly 4 items/);
  expect(explain([input(1)], "passed", true)).toMatch(/^Batchable, although the file allows one item/);
  expect(explain([input(1)], "skipped")).toMatch(/^Not batchable: the file allows one item at a time.*Export it/);
  expect(explain([input(null)], "failed")).toMatch(/^Not batchable: batches give different outputs/);
  expect(explain([input(null)], "inconclusive")).toMatch(/^Not verified yet/);
});

it("notes inputs that the whole batch shares, and the outcome of the check", () => {
  const batchCheck = { outcome: "passed", reason: "", fromCache: true } as const;
  expect(batchNotes([input(null), input(3, null)], { batchCheck, isRebatched: false })).toEqual([
    "One input is shared by the whole batch.",
    "Batches gave the same outputs as single items on an earlier visit.",
  ]);
});

it("says once that a check has not ended", () => {
  const batchCheck = {
    outcome: "inconclusive",
    reason: "not checked yet: no generated item runs",
    fromCache: false,
  } as const;
  expect(batchNotes([input(null)], { batchCheck, isRebatched: false })).toEqual([
    "Batches are not verified yet: no generated item runs.",
  ]);
});
