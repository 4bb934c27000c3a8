import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "./snippets.js";

/** The application of which the consumers' test checks the types in other versions of TypeScript. */
const APP = path.join(ROOT, "e2e/consumers/types");
/** A copy of it that finds the package. */
const FOLDER = path.join(ROOT, "e2e/dist/typed-models");
const TYPESCRIPT = path.join(ROOT, "node_modules/typescript");
/** The version that TypeDoc uses: the last one that an editor's questions can be put to from here. */
const TYPESCRIPT_OF_EDITORS = path.join(ROOT, "apps/reference/node_modules/typescript");

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  cpSync(APP, FOLDER, { recursive: true });
});

test("models that an interface describes have typed names and arrays, and refuse others", () => {
  const { stdout, status } = run(path.join(TYPESCRIPT, "bin/tsc"), "--project", "tsconfig.models.json");
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

test("an editor shows the names and arrays of a described model", () => {
  const { stdout, stderr } = run("hovers.mjs", TYPESCRIPT_OF_EDITORS);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^(\d+) of \1 hovers are as expected\n$/);
});

function run(script: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [script, ...args], { cwd: FOLDER, encoding: "utf8" });
}
