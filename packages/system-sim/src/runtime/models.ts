import { encodeOnnx, type ValueInfo } from "./onnx.js";

/** Elements of an item of `x`. */
export const ITEM_LENGTH = 4;

/** A row that begins with less makes a run fail, or worse: the thousand says what, see `poisonOf`. */
const POISON = -1000;

export type Poison = "fail" | "trap" | "hang";

/** Returns the first element of an item that does this to its run. @param id distinguishes items, below 400 */
export function poisonElement(poison: Poison, id: number): number {
  return POISONS.indexOf(poison) * POISON + POISON - 0.5 - id;
}

const POISONS: readonly Poison[] = ["fail", "trap", "hang"];

/** Returns what a row does to its run; `null` for a good one. Generated items of a check are none of these numbers. */
export function poisonOf(first: number): Poison | null {
  if (first > POISON || Math.abs(first % 1) !== 0.5) return null;
  return POISONS[Math.floor(first / POISON) - 1] ?? null;
}

/** A simulated model: what its file declares, and what it computes for each row. */
export interface SimModel {
  readonly name: ModelName;
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
  readonly nodes: readonly { readonly type: string; readonly inputs: readonly string[]; readonly output: string }[];
  /** Number of rows from which on the rows mix; `null` if they never do. */
  readonly mixesFrom: number | null;
}

const AFFINE = [
  { type: "Mul", inputs: ["x", "two"], output: "doubled" },
  { type: "Add", inputs: ["doubled", "bias"], output: "y" },
] as const;

/** The name of an input that means something else in an object. */
export const ODD_NAME = "__proto__";

const rows = (batch: number | string, length: number | string) => ({
  inputs: [{ name: "x", dims: [batch, length] }],
  outputs: [{ name: "y", dims: [batch, length] }],
});

export type ModelName = "affine" | "odd" | "ragged" | "fixed4" | "mixing" | "mixing4";

/** Every model computes `y = 2x + version`. They differ in their dimensions, and in whether rows mix. */
export const MODELS: Readonly<Record<ModelName, SimModel>> = {
  affine: { name: "affine", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: null },
  odd: {
    name: "odd",
    inputs: [{ name: ODD_NAME, dims: ["batch", ITEM_LENGTH] }],
    outputs: rows("batch", ITEM_LENGTH).outputs,
    nodes: [{ type: "Mul", inputs: [ODD_NAME, "two"], output: "doubled" }, AFFINE[1]],
    mixesFrom: null,
  },
  ragged: { name: "ragged", ...rows("batch", "length"), nodes: AFFINE, mixesFrom: null },
  fixed4: { name: "fixed4", ...rows(4, ITEM_LENGTH), nodes: AFFINE, mixesFrom: null },
  mixing: { name: "mixing", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: 2 },
  mixing4: { name: "mixing4", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: 4 },
};

/** The names of all models. */
export const MODEL_NAMES: readonly ModelName[] = ["affine", "odd", "ragged", "fixed4", "mixing", "mixing4"];

/** The answer of a model for one element. */
export function answer(x: number, version: number): number {
  return Math.fround(2 * x + version);
}

const files = new Map<string, Uint8Array>();

/** Returns the ONNX file of a version of a model. */
export function modelFile(name: ModelName, version: number): Uint8Array {
  const key = `sim:${name}:${version}`;
  const known = files.get(key);
  if (known !== undefined) return known;
  const { inputs, outputs, nodes } = MODELS[name];
  const file = encodeOnnx({ name: key, inputs, outputs, nodes, constants: { two: 2, bias: version } });
  files.set(key, file);
  return file;
}

/** Returns the model and version in a file; `null` for another file, such as the one that starts ONNX Runtime. */
export function readModelFile(bytes: Uint8Array): { readonly model: SimModel; readonly version: number } | null {
  const [, name, version] = /sim:(\w+):(\d+)/.exec(Buffer.from(bytes).toString("latin1")) ?? [];
  const found = Object.values(MODELS).find((model) => model.name === name);
  return found === undefined ? null : { model: found, version: Number(version) };
}
