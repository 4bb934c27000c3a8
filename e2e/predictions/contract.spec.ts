import { keepPromises } from "../support/contract.js";
import { expect, LONG, test } from "../support/test.js";

/**
 * The tests that `npm run test:engines` runs in every engine, except bad inputs and options, which have their own spec.
 * Tagged @long, because other tests cover each of them in this engine.
 */
test("this browser passes the contract tests of all engines", { tag: LONG }, async ({ page, elsewhere }) => {
  // One contract test loads the SDK from another origin, so the server must allow cross-origin requests.
  const verdicts = await keepPromises(page, elsewhere.url, (promise) => !promise.startsWith("bad "));
  expect(verdicts.filter(({ outcome }) => outcome === "broken")).toEqual([]);
  expect(verdicts.length).toBeGreaterThan(10);
});
