import { requests } from "./engines/requests.js";
import { keepPromises } from "./support/contract.js";
import { expect, LONG, test } from "./support/test.js";

const OF_REQUESTS = [...Object.keys(requests), "the model tells its inputs, outputs and state"];

/** What `npm run test:engines` asks of every engine, but for the bad inputs and options, which have tests of their own. */
const GROUPS = [
  { what: "requests", isChosen: (promise: string) => OF_REQUESTS.includes(promise), tag: [] },
  // These are asked by other tests, too.
  {
    what: "models",
    isChosen: (promise: string) => !promise.startsWith("bad ") && !OF_REQUESTS.includes(promise),
    tag: LONG,
  },
];

for (const { what, isChosen, tag } of GROUPS) {
  test(`the contract of all engines is kept in this one: ${what}`, { tag }, async ({ page, elsewhere }) => {
    // One of its promises is about a copy from another origin, which has to let the page have it.
    const verdicts = await keepPromises(page, elsewhere.url, isChosen);
    expect(verdicts.filter(({ outcome }) => outcome === "broken")).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(10);
  });
}
