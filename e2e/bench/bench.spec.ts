import path from "node:path";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { chromium, type Page } from "@playwright/test";
import { flagsFor } from "../../apps/bench/runner/visits/browser.js";
import { poolPages, type Pooled } from "../../apps/bench/runner/results/pool.js";
import { MeasuredCell } from "../../apps/bench/runner/ways/measure-cell.js";
import { FEW_MODELS } from "../../apps/bench/runner/ways/plan.js";
import { reportOf } from "../../apps/bench/runner/ways/report.js";
import type { BenchPage } from "../../apps/bench/src/main.js";
import type { PageReport } from "../../apps/bench/src/results.js";
import type { RunSpec } from "../../apps/bench/src/spec.js";
import { ISOLATION_HEADERS } from "../../apps/bench/isolation-headers.mjs";
import { serve } from "../../scripts/static-server.mjs";
import { expect, LONG, test } from "../support/test.js";

const FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../apps/bench/dist");
const LANES = ["frame", "idle", "off", "limit"];

/** Measures the cells of `only` in the built page, with the shortest possible slices. */
async function measure(page: Page, only: string, lanes: readonly string[]): Promise<PageReport & Pooled> {
  const site = await serve({ folders: { "/": FOLDER }, headers: ISOLATION_HEADERS });
  try {
    await page.goto(site.url);
    const spec: RunSpec = {
      backend: "wasm",
      lanes,
      ownModel: null,
      subset: "full",
      only,
      seed: 1,
      rounds: 2,
      sliceMs: 50,
      longestSliceMs: 500,
      longestNeedMs: 15_000,
      budgetMs: 50_000,
    };
    const running: ReturnType<BenchPage["run"]> = page.evaluate((wanted) => window.bench.run(wanted), spec);
    const report = await running;
    return { ...report, ...poolPages([report], spec.seed) };
  } finally {
    await site.close();
  }
}

test(
  "a short run of the benchmark reports a row for each lane, and ratios between them",
  { tag: LONG },
  async ({ page }) => {
    const report = await measure(page, "mlp-tiny/wasm/closed-16", LANES);

    expect(report.gaps).toEqual([]);
    expect(report.page.crossOriginIsolated).toBe(true);
    expect(report.rows.map(({ lane }) => lane)).toEqual(LANES);
    for (const row of report.rows) {
      expect(row).toMatchObject({
        model: "mlp-tiny",
        backend: "wasm",
        site: "isolated",
        load: "closed-16",
        adapter: null,
        pages: 1,
        slices: 2,
      });
      expect(row.throughputPerSec).toBeGreaterThan(0);
    }
    const row = (wanted: string) => report.rows.find(({ lane }) => lane === wanted);
    expect(row("off")?.meanBatchSize).toBe(1);
    expect(row("frame")?.meanBatchSize).toBeGreaterThan(1);
    expect(row("frame")?.p50Ms).toBeGreaterThan(0);
    expect(row("limit")?.p50Ms).toBeNull();
    const pairs = report.ratios.map(({ lane, over }) => `${lane}/${over}`);
    expect(pairs.toSorted()).toEqual(["frame/limit", "frame/off", "idle/limit", "idle/off", "off/limit"]);
  },
);

test(
  "every peer gives the same answers as framebatch, and the page loads nothing from other origins",
  { tag: LONG },
  async ({ page }) => {
    const peers = ["frame", "ort-main", "ort-proxy", "transformers-js", "dataloader", "hand-written", "pacer"];
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).hostname !== "localhost") elsewhere.push(request.url());
    });
    const report = await measure(page, "text-encoder/wasm/closed-16", peers);
    expect(report.gaps).toEqual([]);
    expect(report.rows.map(({ lane }) => lane)).toEqual(peers);
    for (const { samples } of report.rows) expect(samples).toBeGreaterThan(0);
    expect(report.memory.map(({ lane }) => lane)).toEqual(peers);
    const withWasm = report.memory.filter(({ wasmBytes }) => wasmBytes !== null).map(({ lane }) => lane);
    expect(withWasm).toEqual(["transformers-js", "dataloader", "hand-written", "pacer"]);
    expect(elsewhere).toEqual([]);
  },
);

test(
  "isolated bursts report the time of the first answer, and are compared with the best peer",
  { tag: LONG },
  async ({ page }) => {
    const report = await measure(page, "mlp-tiny/wasm/isolated-16", ["frame", "hand-written"]);
    expect(report.gaps).toEqual([]);
    for (const { firstAnswerMs, meanMs, lastAnswerMs, samples } of report.rows) {
      expect(samples % 16).toBe(0);
      expect(firstAnswerMs).toBeGreaterThan(0);
      expect(lastAnswerMs).toBeGreaterThanOrEqual(firstAnswerMs ?? Number.NaN);
      expect(meanMs).toBeGreaterThan(0);
    }
    expect(report.standings.map(({ what, peer }) => `${what} against ${peer}`)).toEqual([
      "mean against hand-written",
      "first answer against hand-written",
    ]);
  },
);

for (const load of ["typing", "pointer", "scroll"]) {
  test(`${load} reports a row for a lane that supersedes and for one that cannot`, { tag: LONG }, async ({ page }) => {
    const report = await measure(page, `mlp-tiny/wasm/${load}`, ["frame", "dataloader"]);
    expect(report.gaps).toEqual([]);
    expect(report.rows.map(({ lane, framesToPaint }) => [lane, (framesToPaint ?? 0) >= 1])).toEqual([
      ["frame", true],
      ["dataloader", true],
    ]);
  });
}

test("the default way to run is compared with the ways by hand on both visits", { tag: LONG }, async () => {
  const site = await serve({ folders: { "/": FOLDER }, headers: {} });
  const cell = new MeasuredCell({
    cell: { model: "mlp-tiny", backend: "wasm", site: "ordinary" },
    plan: { ...FEW_MODELS, pages: 1, rounds: 1, answers: 1 },
    urls: { ordinary: site.url, isolated: site.url },
    seed: 1,
    executablePath: process.env["FRAMEBATCH_CHROMIUM"] ?? chromium.executablePath(),
    flags: flagsFor("wasm"),
    say: () => {},
  });
  try {
    await cell.run();
  } finally {
    await site.close();
  }
  const machine = { cpu: "", cores: 1, memoryGb: 1, os: "", node: "" };
  const report = reportOf([cell], { date: "", command: "", seed: 1, machine, browser: "", problems: [] });
  expect(report.gaps).toEqual([]);
  expect(report.trainings).toMatchObject([{ ways: 0, missing: expect.stringContaining("one way"), trials: [] }]);
  expect(report.ranOn.map(({ visit, ways }) => [visit, ways])).toEqual([
    ["first", ["wasm-1"]],
    ["second", ["wasm-1"]],
  ]);
  const judged = report.standings.map(({ load, lane, what, peer }) => `${load} ${lane}: ${what} against ${peer}`);
  expect(judged.toSorted()).toEqual([
    "closed-1 default-again: second visit against wasm-1",
    "closed-1 default: first visit against wasm-1",
    "closed-8 default-again: second visit against wasm-1",
    "closed-8 default: first visit against wasm-1",
    "first-answer default: first answer against wasm-1",
    "first-answer-again default-again: first answer against wasm-1",
  ]);
});

test("the benchmark page finds no GPU if the browser offers none", async ({ page }) => {
  const site = await serve({ folders: { "/": FOLDER }, headers: ISOLATION_HEADERS });
  await page.goto(site.url);
  const adapter: Awaited<ReturnType<BenchPage["findAdapter"]>> = await page.evaluate(() => window.bench.findAdapter());
  await site.close();
  expect(adapter).toBeNull();
});
