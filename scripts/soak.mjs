// The soak test: tests the promises of framebatch in a real browser for about ten minutes.
import path from "node:path";
import process from "node:process";
import { oneOf, readArguments, wholeNumber } from "./arguments.mjs";
import { findChromium } from "./chromium.mjs";
import { ensureBuilt, ensureInstalled, main, root } from "./workspace.mjs";

const USAGE = `Usage: npm run soak -- [options]
  --only NAME    test only this promise: P1, P2 and so on; may be repeated
  --seed NUMBER  seed of the faults, their order and the inputs; default: 1
  --short        a run of less than two minutes, as in npm test: smaller numbers, and no limits on speed
  --json FILE    also write the figures to FILE`;

const OPTIONS = /** @type {const} */ ({
  only: { type: "string", multiple: true, default: [] },
  seed: { type: "string", default: "1" },
  short: { type: "boolean", default: false },
  json: { type: "string" },
});

await main(async () => {
  const wanted = readArguments(USAGE, { options: OPTIONS }, ({ values }) => ({
    ...values,
    seed: wholeNumber("--seed", values.seed, { least: 0, most: 999_999_999 }),
  }));
  await ensureInstalled();
  // A dynamic import, because Vite exists only after the dependencies are installed.
  const { runnerImport } = await import("vite");
  /** @type {{ module: typeof import("../e2e/soak/main.js") }} */
  const { module } = await runnerImport(path.join(root, "e2e/soak/main.ts"), { configFile: false, root });
  for (const name of wanted.only) oneOf("--only", name, module.PROMISE_IDS);
  await ensureBuilt();
  const executablePath = await findChromium();
  const isKept = await module.runSoak({
    executablePath,
    seed: wanted.seed,
    effort: wanted.short ? "short" : "full",
    only: wanted.only,
    jsonFile: wanted.json === undefined ? undefined : path.resolve(wanted.json),
  });
  if (!isKept) process.exitCode = 1;
});
