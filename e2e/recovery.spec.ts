import { expectNothingLost, keepAsking } from "./support/endurance.js";
import { test } from "./support/test.js";

test("when the worker dies, a new one answers what was open", async ({ harness }) => {
  await keepAsking(harness);
  await harness.workers()[0]?.evaluate(() => {
    setTimeout(() => {
      throw new Error("broken on purpose");
    });
  });
  await expectNothingLost(harness);
});
