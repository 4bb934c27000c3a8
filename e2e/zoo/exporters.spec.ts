import path from "node:path";
import { binOf, installPython } from "../../scripts/python-environment.mjs";
import { Problem, run } from "../../scripts/workspace.mjs";
import { ROOT } from "../docs/snippets.js";
import { expect, LONG, test } from "../support/test.js";
import { expectZoo } from "../support/zoo.js";

const ZOO = path.join(ROOT, "models/zoo");
const MADE = path.join(ROOT, ".servers/zoo-files");

test("files that the exporters write now do the same", { tag: LONG }, async ({ harness, provider }) => {
  const absent = await installed();
  test.skip(absent !== null, `the exporters cannot be had: ${absent}`);
  const python = path.join(binOf("zoo"), "python");
  const { code, output } = await run(python, [path.join(ZOO, "make.py"), MADE], { quiet: true });
  expect(code, output).toBe(0);
  await expectZoo(harness, provider, MADE, "/zoo-made/");
});

/** Returns why the exporters are absent, or null. */
async function installed(): Promise<string | null> {
  try {
    await installPython("zoo", path.join(ZOO, "requirements.txt"));
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
