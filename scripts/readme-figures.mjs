// Generates the figures of README.md from the committed benchmark results in docs/results/latest.json. Usage: node
// scripts/readme-figures.mjs [--check]. With --check, it writes nothing and fails if the figures are out of date. It
// also fails if a performance figure appears elsewhere in README.md: every figure must come from the results.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fillPage } from "./filled-page.mjs";
import { ensureInstalled, main, Problem, root } from "./workspace.mjs";

const PAGE = "README.md";
const RESULTS = "docs/results/latest.json";
const FIGURES = /<!-- figures -->[^]*?<!-- end -->/;

await main(async () => {
  await ensureInstalled();
  // A dynamic import, because Vite exists only after the dependencies are installed.
  const { runnerImport } = await import("vite");
  /** @type {{ module: typeof import("../apps/bench/runner/figures.js") }} */
  const { module } = await runnerImport(path.join(root, "apps/bench/runner/figures.ts"), { configFile: false, root });
  const figures = module.figuresOf(JSON.parse(readFileSync(path.join(root, RESULTS), "utf8")));
  await fillPage(PAGE, { figures }, "node scripts/readme-figures.mjs");
  const [stray] = module.strayFigures(readFileSync(path.join(root, PAGE), "utf8").replace(FIGURES, ""));
  if (stray !== undefined)
    throw new Problem(`${PAGE} contains "${stray}": performance figures must come from ${RESULTS}`);
});
