import { expect, test } from "vitest";
import type { Tensors } from "./check-runs.js";
import { PacedCheck } from "./batch-check.js";

const NO_FEEDS: Tensors = {};

/** Returns paths that record their runs. */
function recording(name: string, log: string[]) {
  const run = (feeds: Tensors) => {
    log.push(name);
    return Promise.resolve(feeds);
  };
  return { alone: run, batch: run };
}

test("a check without time makes no run before it goes on, and then makes it on the new paths", async () => {
  const log: string[] = [];
  const check = new PacedCheck(
    async ({ alone }) => {
      await alone(NO_FEEDS);
      return { outcome: "passed", reason: "same" };
    },
    () => 30,
  );
  expect(await check.within(0, recording("load", log))).toBeNull();
  expect(log).toEqual([]);
  expect(await check.within(Infinity, recording("later", log))).toEqual({ outcome: "passed", reason: "same" });
  expect(log).toEqual(["later"]);
});
