import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { beforeAll, expect, test } from "vitest";
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
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  },
  include: ["*.ts"],
};

/** An interface, and a model that it describes. */
const DIGITS = `
  import { createBatchedModel, type BatchedModel } from "framebatch";
  interface Digits { inputs: { image: Float32Array }; outputs: { logits: Float32Array } }
  declare const pixels: Float32Array;
  const model = await createBatchedModel<Digits>("/digits.onnx");
`;

/** A model whose worker has handlers. */
const HANDLED = `
  import { createBatchedModel } from "framebatch";
  await createBatchedModel("/reader.onnx", { worker: () => new Worker("reader.js"), dedupe: true });
`;

/** Mistakes with a described model, and what the compiler says about each. */
const MISTAKES = [
  ["await model.predict({ picture: pixels })", "'picture' does not exist in type '{ readonly image: "],
  ["(await model.predict(pixels)).scores", "'scores' does not exist on type '{ readonly logits: "],
  ["(await model.predict(pixels)).logit", "Did you mean 'logits'?"],
  [
    "await model.predict({ image: new Float64Array(784) })",
    "'Float64Array<ArrayBuffer>' is not assignable to type 'Float32Array<ArrayBufferLike>'",
  ],
  [
    'await createBatchedModel<{ inputs: { image: number }; outputs: {} }>("/digits.onnx")',
    "Type 'number' is not assignable to type 'TensorData'",
  ],
  [
    'await createBatchedModel<Digits>("/digits.onnx", { worker: () => new Worker("reader.js") })',
    "its types are <Item, Result>",
  ],
] as const;

/** Mistakes in what a worker serves, and what the compiler says at the line of each. */
const SERVED = [
  ["serve<string, number>({ preprocess: (text) => text.length })", "'number' is not assignable to type"],
  ["serve<string, number>({ preproces: (text) => ({ ids: [text.length] }) })", "'preproces' does not exist in type"],
  ["serve<string, number>({ postprocess: ({ logits }) => String(logits) })", "'string' is not assignable to type"],
  ["serve<string, number>({ run: (texts) => texts })", "'string' is not assignable to type 'number | Error'"],
  [
    "serve<string, number>({ run: (texts) => texts.map(({ size }) => size) })",
    "'size' does not exist on type 'String'",
  ],
] as const;

const SERVE = 'import { serve } from "framebatch/worker";\n';

/** Functions, and two models one after the other. */
const CALLS = `
  import { batched, createBatchedModel, createPipeline, type ModelHub } from "framebatch";
  interface Mel { inputs: { audio: Float32Array }; outputs: { output: Float32Array } }
  interface Words { inputs: { frames: Float32Array; mask?: Uint8Array }; outputs: { scores: Float32Array } }
  const mel = createPipeline<Float32Array>().stage(await createBatchedModel<Mel>("/mel.onnx"));
  const words = await createBatchedModel<Words>("/words.onnx");
  declare const hub: ModelHub;
  declare const worker: () => Worker;
`;

/** Mistakes in calls that have overloads: the code before and from the place of the mistake, and what the compiler says. */
const OVERLOADED = [
  ["batched(", "async (x: number) => x)", "a function of a list, that returns a list of the same length"],
  ["batched(", "(texts: string[]) => texts.length)", "a function of a list, that returns a list of the same length"],
  ["batched(", "async (x: number) => x, { maxBatchSize: 8 })", "to parameter of type 'RunBatch<"],
  ["batched((xs: number[]) => xs, { ", "maxBatchsize: 8 })", "Did you mean to write 'maxBatchSize'?"],
  [
    "class A { @batched({ ",
    "maxBatch: 8 }) async f(xs: number[]) { return xs; } }",
    "'maxBatch' does not exist in type",
  ],
  ["mel.stage(words, { inputs: { ", 'frames: "outptu" } })', `'"outptu"' is not assignable to type '"output"'`],
  ["mel.stage(words, { inputs: { ", 'frame: "output" } })', "Did you mean to write 'frames'?"],
  ["mel.stage(words, { ", 'inputs: { mask: "output" } })', "Property 'frames' is missing"],
  ["mel.stage(words, ", '{ name: "words" })', "Property 'inputs' is missing in type"],
  ["mel.stage(words, { toItem: (x) => x.output, ", "toResutl: () => 1 })", "'toResutl' does not exist in type"],
  ["mel.stage((x) => x, { ", 'nam: "same" })', "Did you mean to write 'name'?"],
  ["mel.split((x) => [x]).stage(words, { inputs: { ", 'frame: "output" } })', "Did you mean to write 'frames'?"],
  ["createBatchedModel<Blob, string>(", '"/reader.onnx")', "needs the option worker, whose module serves preprocess"],
  ["createBatchedModel<Blob, string>(url, ", "{ maxBatchSize: 8 })", "Property 'worker' is missing in type"],
  ["createBatchedModel(url, { remote: { url, ", 'modl: "digits" } })', "Did you mean to write 'model'?"],
  ["createBatchedModel(url, { ", "maxBatchsize: 8 })", "Did you mean to write 'maxBatchSize'?"],
  ['hub.register("a", url, { ', "maxBatchsize: 8 })", "Did you mean to write 'maxBatchSize'?"],
  ['hub.register("a", url, { worker, ', "dedupe: true })", "'dedupe' does not exist in type 'HandlerModelOptions"],
] as const;

/** What a function of a list may be. */
const FUNCTIONS = `
  import { batched } from "framebatch";
  export const lengths = batched(async (texts: string[]) => texts.map(({ length }) => length));
  export const same = batched(<Each>(items: readonly Each[]) => items);
  export const named = batched<string, number>((texts) => texts.map(({ length }) => length));
  export const found: Promise<number> = lengths("one");
`;

/** One program of all modules, because to read the library of the browser takes longer than to check them. */
const MODULES = {
  handled: HANDLED,
  described: DIGITS + MISTAKES.map(([code]) => `${code};`).join("\n"),
  served: SERVE + SERVED.map(([code]) => `${code};`).join("\n"),
  calls: `${CALLS}declare const url: string;\n${OVERLOADED.map(([before, from]) => `${before}${from};`).join("\n")}`,
  functions: FUNCTIONS,
};

/** What the compiler says, one part for each mistake. */
let said: readonly string[] = [];

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, code] of Object.entries(MODULES)) writeFileSync(path.join(FOLDER, `${name}.ts`), code);
  writeFileSync(path.join(FOLDER, "tsconfig.json"), JSON.stringify(CONFIG));
  const { stdout } = spawnSync(process.execPath, [TSC, "--project", FOLDER], { encoding: "utf8" });
  said = stdout.split(/^(?=\S*\.ts\()/m);
});

/** Returns what the compiler says about a module, or about a place in it. */
function saidAbout(module: keyof typeof MODULES, place = ""): string {
  return said.filter((part) => part.includes(`${module}.ts(${place}`)).join("");
}

/** Returns the line of a module that follows some text. */
function lineAfter(text: string): number {
  return text.split("\n").length;
}

test("the compiler says which options a worker with handlers excludes", () => {
  expect(saidAbout("handled")).toContain("no dedupe, resultCacheSize, validate or shared");
  expect(saidAbout("handled")).not.toContain("is not assignable to type 'undefined'");
});

test("the compiler says which names and arrays a described model has", () => {
  for (const [index, [code, message]] of MISTAKES.entries())
    expect.soft(saidAbout("described", `${lineAfter(DIGITS) + index},`), code).toContain(message);
});

test("the compiler finds a mistake in what a worker serves where it is made", () => {
  for (const [index, [code, message]] of SERVED.entries())
    expect.soft(saidAbout("served", `${lineAfter(SERVE) + index},`), code).toContain(message);
});

test("the compiler finds a mistake in a call that has overloads where it is made", () => {
  const first = lineAfter(CALLS) + 1;
  for (const [index, [before, from, message]] of OVERLOADED.entries())
    expect.soft(saidAbout("calls", `${first + index},${before.length + 1})`), before + from).toContain(message);
});

test("a function may take its list as one that it may change, for the list is its own", () => {
  expect(said.length).toBeGreaterThan(MISTAKES.length + SERVED.length + OVERLOADED.length);
  expect(saidAbout("functions")).toBe("");
});
