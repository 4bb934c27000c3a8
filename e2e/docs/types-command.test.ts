import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "./snippets.js";

const FOLDER = path.join(ROOT, "e2e/dist/types-command");
const COMMAND = path.join(ROOT, "packages/framebatch/bin/framebatch.mjs");
const TSC = path.join(ROOT, "node_modules/typescript/bin/tsc");
const DIGITS = path.join(ROOT, "models/digits/digits.onnx");

const CONFIG = {
  compilerOptions: {
    target: "ES2023",
    module: "NodeNext",
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  },
  include: ["*.ts"],
};

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
});

function run(script: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [script, ...args], { cwd: FOLDER, encoding: "utf8" });
}

/** Runs a command with each list of arguments, and writes how it ended. */
const EACH = `
  const [, command, lists] = process.argv;
  const write = process.stdout.write.bind(process.stdout);
  const ends = [];
  for (const [at, args] of JSON.parse(lists).entries()) {
    const end = { status: 0, stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) process[name].write = (text) => (end[name] += text);
    process.argv = [process.argv[0], command, ...args];
    process.exitCode = 0;
    await import(command + "?" + at);
    ends.push({ ...end, status: process.exitCode });
  }
  process.exitCode = 0;
  write(JSON.stringify(ends));
`;

/** Runs the command with each list of arguments, in one process: to start one takes longer than what it does. */
function runEach(lists: readonly (readonly string[])[]): { status: number; stdout: string; stderr: string }[] {
  const given = [pathToFileURL(COMMAND).href, JSON.stringify(lists)];
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", EACH, ...given], {
    cwd: FOLDER,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

/** Models with names that are no identifiers, of half precision, and of text. */
const GENERATED = ["names-of-markup", "affine-float16", "identity-string"];

test("framebatch types writes interfaces that createBatchedModel takes", () => {
  for (const file of [DIGITS, ...GENERATED.map((model) => path.join(ROOT, `models/dist/${model}.onnx`))]) {
    const model = path.basename(file, ".onnx");
    const { status, stdout, stderr } = run(COMMAND, "types", file, "--out", `${model}.ts`, "--name", "Model");
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
    writeFileSync(
      path.join(FOLDER, `use-${model}.ts`),
      `import { createBatchedModel } from "framebatch";
       import type { Model } from "./${model}.js";
       const model = await createBatchedModel<Model>("/model.onnx");
       for (const tensor of Object.values(await model.predict([]))) console.log(tensor.data.length);`,
    );
  }
  writeFileSync(path.join(FOLDER, "package.json"), '{ "type": "module" }');
  writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify(CONFIG));
  expect(run(TSC, "--project", FOLDER).stdout).toBe("");
});

test("framebatch sample copies the model of the README, and says how it is called", () => {
  const { status, stdout, stderr } = run(COMMAND, "sample", "public/models");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("digits.onnx to public/models");
  expect(readFileSync(path.join(FOLDER, "public/models/digits.onnx")).equals(readFileSync(DIGITS))).toBe(true);
  for (const args of [[], ["--help"], ["a", "b"]]) {
    const asked = run(COMMAND, "sample", ...args);
    expect(asked.stdout + asked.stderr).toContain("Usage: npx framebatch sample <folder>");
    expect(asked.status).toBe(args[0] === "--help" ? 0 : 1);
  }
});

test("framebatch types prints the interface, named after the file", () => {
  const { status, stdout, stderr } = run(COMMAND, "types", DIGITS);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("export interface Digits {\n  inputs: {\n");
});

test("framebatch types leaves out the states of a recurrent model, as its items do", () => {
  const model = path.join(ROOT, "models/dist/recurrent.onnx");
  const { status, stdout, stderr } = run(COMMAND, "types", model, "--recurrent", "state=stateN");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect([...stdout.matchAll(/^    "?(\w+)"?:/gm)].map(([, name]) => name)).toEqual(["input", "sr", "output"]);
});

test("framebatch says how its commands are called, and takes no question for a folder", () => {
  for (const { status, stdout, stderr } of runEach([["--help"], ["copy", "--help"], ["types", "-h"]])) {
    expect.soft({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect.soft(stdout).toContain("npx framebatch copy <folder>");
    expect.soft(stdout).toContain("npx framebatch types <model.onnx>");
  }
  expect(existsSync("--help")).toBe(false);
});

test("framebatch types says what is wrong", () => {
  writeFileSync(path.join(FOLDER, "page.onnx"), "<!doctype html>");
  writeFileSync(path.join(FOLDER, "weights.onnx"), "");
  truncateSync(path.join(FOLDER, "weights.onnx"), 2 ** 31 + 1);
  const mistakes = [
    [["nowhere.onnx"], "nowhere.onnx: expected a file that can be read; give the path of an .onnx file (ENOENT"],
    [["page.onnx"], "page.onnx: expected an ONNX model, got 15 bytes that are none"],
    [["weights.onnx"], "weights.onnx: expected an ONNX model, which has at most 2147483648 bytes, got 2147483649"],
    [[FOLDER], "expected a file that can be read"],
    [
      [DIGITS, "--name", "digits"],
      '--name: expected a name that begins with a capital letter and is not that of an array, got "digits"',
    ],
    [[DIGITS, "--name", "Float32Array"], 'got "Float32Array"; write --name Digits'],
    [[DIGITS, "--out", DIGITS], "--out: expected a file that ends with .ts"],
    [[DIGITS, "--out", "nowhere/digits.ts"], '--out: expected a file that can be written, got "nowhere/digits.ts"'],
    [[DIGITS, "--recurrent", "image"], '--recurrent: expected <input>=<output>, got "image"'],
    [[DIGITS, "--recurrent", "state=logits"], 'recurrent: expected one of the inputs image, got "state"'],
    [[DIGITS, "--outt", "digits.ts"], "Usage: npx framebatch types <model.onnx>"],
    [[], "Usage: npx framebatch types <model.onnx>"],
  ] as const;
  const ends = runEach(mistakes.map(([args]) => ["types", ...args]));
  for (const [at, [args, message]] of mistakes.entries()) {
    const { status, stdout, stderr } = ends[at]!;
    expect.soft({ status, stdout }, String(args)).toEqual({ status: 1, stdout: "" });
    expect.soft(stderr, String(args)).toContain(message);
    expect.soft(stderr, String(args)).not.toContain("    at ");
  }
  rmSync(path.join(FOLDER, "weights.onnx"));
  expect(readFileSync(DIGITS).length).toBeGreaterThan(1000);
});

/** The programs of the documentation that describe a model of this repository, by interface. */
const DESCRIBED = [
  ["text/encoder.worker.ts", "Encoder", "dist/text-encoder.onnx"],
  ["several/main.ts", "Picture", "digits/digits.onnx"],
  ["several/main.ts", "Text", "languages/languages.onnx"],
  ["shared/languages-model.ts", "Languages", "languages/languages.onnx"],
  ["moving/after.ts", "Digits", "digits/digits.onnx"],
  ["webcam/digit.worker.ts", "Digits", "digits/digits.onnx"],
  ["photos/photo.worker.ts", "Digits", "digits/digits.onnx"],
  ["widgets/main.ts", "Digits", "digits/digits.onnx"],
  ["streams/main.ts", "Detector", "dist/recurrent.onnx", "state=stateN"],
] as const;

test("the interfaces in the programs of the documentation are those that framebatch types writes", () => {
  const folder = path.join(ROOT, "apps/examples");
  const written = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      /^(?!.*(node_modules|dist)).*\.tsx?$/.test(file) &&
      /^(export )?interface \w+ \{\n  inputs: \{ /m.test(readFileSync(path.join(folder, file), "utf8")),
  );
  expect(new Set([...DESCRIBED.map(([file]) => file), "large/main.ts"])).toEqual(new Set(written));
  const ends = runEach(
    DESCRIBED.map(([, name, model, recurrent]) => {
      const states = recurrent === undefined ? [] : ["--recurrent", recurrent];
      return ["types", path.join(ROOT, "models", model), "--name", name, ...states];
    }),
  );
  for (const [at, [file, name]] of DESCRIBED.entries()) {
    const program = readFileSync(path.join(folder, file), "utf8");
    expect(propertiesOf(name, program), `${file}: ${name}`).toEqual(propertiesOf(name, ends[at]!.stdout));
  }
});

/** Returns `["image: Float32Array", "logits: Float32Array"]`: what an interface says, but not what may be left out. */
function propertiesOf(name: string, program: string) {
  const [, body = ""] = new RegExp(`interface ${name} \\{\\n([^]*?)\\n\\}`).exec(program) ?? [];
  return [...body.matchAll(/(\w+)\??: (\w+Array)/g)].map(([, property, array]) => `${property}: ${array}`);
}
