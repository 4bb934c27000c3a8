import path from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchPage } from "../../apps/bench/src/main.js";
import { ISOLATION_HEADERS } from "../../apps/bench/isolation-headers.mjs";
import { serve } from "../../scripts/static-server.mjs";
import { expect, test } from "../support/test.js";

const FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../apps/bench/dist");
const LANES = ["frame", "idle", "off", "limit"];

test("a short run of the benchmark gives a row for each lane, and ratios between them", async ({ page }) => {
  const site = await serve({ folders: { "/": FOLDER }, headers: ISOLATION_HEADERS });
  await page.goto(site.url);
  const running: ReturnType<BenchPage["run"]> = page.evaluate(
    (lanes) =>
      window.bench.run({
        backend: "wasm",
        lanes,
        ownModel: null,
        subset: "full",
        only: "mlp-tiny/wasm/closed-16",
        seed: 1,
        rounds: 2,
        sliceMs: 50,
        longestSliceMs: 500,
        budgetMs: 30_000,
      }),
    LANES,
  );
  const report = await running;
  await site.close();

  expect(report.gaps).toEqual([]);
  expect(report.page.crossOriginIsolated).toBe(true);
  expect(report.rows.map(({ lane }) => lane)).toEqual(LANES);
  for (const row of report.rows) {
    expect(row).toMatchObject({ model: "mlp-tiny", backend: "wasm", load: "closed-16", adapter: null, slices: 2 });
    expect(row.throughputPerSec).toBeGreaterThan(0);
  }
  const row = (wanted: string) => report.rows.find(({ lane }) => lane === wanted);
  expect(row("off")?.meanBatchSize).toBe(1);
  expect(row("frame")?.meanBatchSize).toBeGreaterThan(1);
  expect(row("frame")?.p50Ms).toBeGreaterThan(0);
  expect(row("limit")?.p50Ms).toBeNull();
  const pairs = report.ratios.map(({ lane, over }) => `${lane}/${over}`);
  expect(pairs.toSorted()).toEqual(["frame/limit", "frame/off", "idle/limit", "idle/off", "off/limit"]);
});

test("the benchmark page finds no GPU where the browser offers none", async ({ page }) => {
  const site = await serve({ folders: { "/": FOLDER }, headers: ISOLATION_HEADERS });
  await page.goto(site.url);
  const adapter: Awaited<ReturnType<BenchPage["findAdapter"]>> = await page.evaluate(() => window.bench.findAdapter());
  await site.close();
  expect(adapter).toBeNull();
});
