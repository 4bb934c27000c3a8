// Fills the figures of README.md from the committed results of the benchmark, docs/results/latest.json.
// Usage: node scripts/readme-figures.mjs [--check]; with --check nothing is written, and old figures are a failure. So is a
// figure of speed anywhere else in the page: what is not in the results has no place there.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fillPage } from "./filled-page.mjs";
import { ensureInstalled, main, Problem, root } from "./workspace.mjs";

const PAGE = "README.md";
const RESULTS = "docs/results/latest.json";
const FIGURES = /<!-- figures -->[^]*?<!-- end -->/;

await main(async () => {
  await ensureInstalled();
  // Only now: before the dependencies are installed there is no Vite.
  const { runnerImport } = await import("vite");
  /** @type {{ module: typeof import("../apps/bench/runner/figures.js") }} */
  const { module } = await runnerImport(path.join(root, "apps/bench/runner/figures.ts"), { configFile: false, root });
  const figures = module.figuresOf(JSON.parse(readFileSync(path.join(root, RESULTS), "utf8")));
  await fillPage(PAGE, { figures }, "node scripts/readme-figures.mjs");
  const [stray] = module.strayFigures(readFileSync(path.join(root, PAGE), "utf8").replace(FIGURES, ""));
  if (stray !== undefined) throw new Problem(`${PAGE} says "${stray}": figures of speed come from ${RESULTS} alone`);
});
