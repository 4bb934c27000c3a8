import path from "node:path";
import { binOf, installPython } from "../../scripts/python-environment.mjs";
import { Problem, run } from "../../scripts/workspace.mjs";
import { ROOT } from "../docs/snippets.js";
import { expect, LONG, test } from "../support/test.js";
import { expectDecoders } from "../support/exported-decoders.js";
import { expectZoo } from "../support/zoo.js";

const ZOO = path.join(ROOT, "models/zoo");
const MADE = path.join(ROOT, ".servers/zoo-files");
const DECODERS = path.join(ROOT, ".servers/zoo-decoder-files");

test("files that the exporters write now do the same", { tag: LONG }, async ({ harness, provider }) => {
  await make("zoo", ZOO, MADE);
  await expectZoo(harness, provider, MADE, "/zoo-made/");
});

test(
  "decoders that the exporters write now write the texts of Python's onnxruntime",
  { tag: LONG },
  async ({ harness, provider }) => {
    test.skip(provider === "webgpu", "scores of a GPU differ by more than the best from the next best token may");
    await make("zoo-decoders", path.join(ZOO, "decoders"), DECODERS);
    await expectDecoders(harness, DECODERS, "/zoo-decoders-made/");
  },
);

/** Makes files by a program in a folder, with what it requires. */
async function make(name: string, folder: string, target: string): Promise<void> {
  const absent = await installed(name, path.join(folder, "requirements.txt"));
  test.skip(absent !== null, `the exporters cannot be had: ${absent}`);
  const python = path.join(binOf(name), "python");
  const { code, output } = await run(python, [path.join(folder, "make.py"), target], { quiet: true });
  expect(code, output).toBe(0);
}

/** Returns why the exporters are absent, or null. */
async function installed(name: string, requirements: string): Promise<string | null> {
  try {
    await installPython(name, requirements);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}
