import { keepPromises } from "./support/contract.js";
import { expect, LONG, test } from "./support/test.js";

/** What `npm run test:engines` asks of every engine, but for the bad inputs and options, which have tests of their own. */
const GROUPS = [
  { what: "but for tensors of every type", pattern: /^(?!bad |tensors )/, tag: [] },
  // As the models of every type are.
  { what: "with tensors of every type", pattern: /^tensors /, tag: LONG },
];

for (const { what, pattern, tag } of GROUPS) {
  test(`the contract of all engines is kept in this one, ${what}`, { tag }, async ({ page, elsewhere }) => {
    // One of its promises is about a copy from another origin, which has to let the page have it.
    const verdicts = await keepPromises(page, elsewhere.url, pattern);
    expect(verdicts.filter(({ outcome }) => outcome === "broken")).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(10);
  });
}
