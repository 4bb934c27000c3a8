// Generates from the committed benchmark results the figures of README.md, those of widgets in docs/results.md, and
// docs/widgets.svg. It also fails if a performance figure appears elsewhere in README.md: every figure must come from
// the results.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fillPage, readCheck } from "./filled-page.mjs";
import { ensureInstalled, main, Problem, root } from "./workspace.mjs";

const PAGE = "README.md";
const RESULTS = "docs/results/latest.json";
const WIDGETS = { page: "docs/results.md", results: "docs/results/widgets", picture: "docs/widgets.svg" };
const GENERATED = /<!-- (?:figures|widgets) -->[^]*?<!-- end -->/g;

await main(async () => {
  const how = readCheck("node scripts/readme-figures.mjs");
  await ensureInstalled();
  /** @type {typeof import("../apps/bench/runner/print/figures.js")} */
  const { figuresOf, strayFigures } = await runner("print/figures.ts");
  /** @type {typeof import("../apps/bench/runner/page/figures.js")} */
  const { pageSection, pageSentence } = await runner("page/figures.ts");
  /** @type {typeof import("../apps/bench/runner/page/picture.js")} */
  const { drawWidgets } = await runner("page/picture.ts");
  const reports = readWidgets();
  await fillPage(PAGE, { figures: figuresOf(readJson(RESULTS)), widgets: pageSentence(reports) }, how);
  await fillPage(WIDGETS.page, { widgets: pageSection(reports) }, how);
  writePicture(drawWidgets(reports), how);
  const [stray] = strayFigures(readFileSync(path.join(root, PAGE), "utf8").replaceAll(GENERATED, ""));
  if (stray !== undefined)
    throw new Problem(`${PAGE} contains "${stray}": performance figures must come from ${RESULTS}`);
});

/**
 * Imports a file of the benchmark's runner. Vite is imported late, because it exists only after the dependencies are
 * installed.
 *
 * @param {string} file
 */
async function runner(file) {
  const { runnerImport } = await import("vite");
  const { module } = await runnerImport(path.join(root, "apps/bench/runner", file), { configFile: false, root });
  return module;
}

/** @returns {import("../apps/bench/runner/page/report.js").PageSuiteReport[]} one report for each model */
function readWidgets() {
  return readdirSync(path.join(root, WIDGETS.results)).map((file) => readJson(path.join(WIDGETS.results, file)));
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), "utf8"));
}

/** @param {string} picture @param {ReturnType<typeof readCheck>} how */
function writePicture(picture, { isCheck, remedy }) {
  const file = path.join(root, WIDGETS.picture);
  const isCurrent = existsSync(file) && readFileSync(file, "utf8") === picture;
  if (isCurrent) return;
  if (isCheck) throw new Problem(`${WIDGETS.picture} is out of date. Run: ${remedy}`);
  writeFileSync(file, picture);
}
