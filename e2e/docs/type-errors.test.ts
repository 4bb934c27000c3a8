import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { ROOT } from "./snippets.js";

const FOLDER = path.join(ROOT, "e2e/dist/type-errors");
const TSC = path.join(ROOT, "node_modules/typescript/bin/tsc");

const CONFIG = {
  compilerOptions: {
    target: "ES2023",
    module: "ESNext",
    moduleResolution: "Bundler",
    types: [],
    strict: true,
    noEmit: true,
  },
  include: ["*.ts"],
};

/** Returns what the compiler says about a module. */
function saidAbout(code: string): string {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, "mistake.ts"), code);
  writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify(CONFIG));
  return spawnSync(process.execPath, [TSC, "--project", FOLDER], { encoding: "utf8" }).stdout;
}

// users.md, messages that mislead
test("the compiler says which options a worker with handlers excludes", () => {
  const said = saidAbout(`
    import { createBatchedModel } from "framebatch";
    await createBatchedModel("/reader.onnx", { worker: () => new Worker("reader.js"), dedupe: true });
  `);
  expect(said).toContain("no dedupe, resultCacheSize, validate or shared");
  expect(said).not.toContain("is not assignable to type 'undefined'");
});
