import type { FloodReport } from "../engines/flood.js";
import type { FuzzReport } from "../engines/model-fuzz.js";
import { keepPromises, openContract } from "../support/contract.js";
import { expect, LONG, test } from "../support/test.js";
import { badInputs } from "../tables/bad-inputs.js";
import { badOptions } from "../tables/bad-options.js";

const TABLES = [
  {
    beginning: "bad input, ",
    rows: badInputs,
    what: "bad input is rejected with its message, and its batch-mates are answered",
  },
  { beginning: "bad option, ", rows: badOptions, what: "bad option is rejected with its message" },
] as const;

for (const { beginning, rows, what } of TABLES) {
  test(`each ${what}`, async ({ page, home }) => {
    const read = await keepPromises(page, home.url, (promise) => promise.startsWith(beginning));
    expect(read.filter(({ outcome }) => outcome !== "kept")).toEqual([]);
    expect(read).toHaveLength(rows.length);
  });
}

test("every row of the tables has a unique id", () => {
  const ids = [...badInputs, ...badOptions].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test(
  "random inputs do not affect valid requests, throw nothing and end no worker",
  { tag: LONG },
  async ({ page, home }) => {
    await openContract(page, home.url);
    const report: FloodReport = JSON.parse(await page.evaluate(() => window.contract.flood(5500, 7)));
    expect(report).toMatchObject({ bad: 5000, good: 500, harmed: 0, syncThrows: 0, uncaught: 0, lost: 0 });
  },
);

test(
  "damaged models load or reject with a FramebatchError, and none loads with a wrong digest",
  { tag: LONG },
  async ({ page, home }) => {
    let crashed = false;
    page.on("crash", () => (crashed = true));
    await openContract(page, home.url);
    const report: FuzzReport = JSON.parse(await page.evaluate(() => window.contract.fuzzModels(0, 60, 1)));
    expect(report).toMatchObject({ tried: 60, bad: [] });
    expect(report.outcomes["MODEL_INTEGRITY"]).toBeGreaterThan(5);
    expect(crashed).toBe(false);
  },
);
