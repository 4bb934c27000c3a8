import { handlers } from "../engines/handlers.js";
import { keepPromises } from "../support/contract.js";
import { expect, LONG, test } from "../support/test.js";

const OF_HANDLERS = Object.keys(handlers);

/**
 * The tests that `npm run test:engines` runs in every engine, except bad inputs and options, which have their own spec.
 */
const GROUPS = [
  { what: "handlers", isChosen: (promise: string) => OF_HANDLERS.includes(promise), tag: [] },
  // Other tests also cover these.
  {
    what: "requests and models",
    isChosen: (promise: string) => !promise.startsWith("bad ") && !OF_HANDLERS.includes(promise),
    tag: LONG,
  },
];

for (const { what, isChosen, tag } of GROUPS) {
  test(`this browser passes the contract tests of all engines: ${what}`, { tag }, async ({ page, elsewhere }) => {
    // One contract test loads the SDK from another origin, so the server must allow cross-origin requests.
    const verdicts = await keepPromises(page, elsewhere.url, isChosen);
    expect(verdicts.filter(({ outcome }) => outcome === "broken")).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(10);
  });
}
