import { DECODERS, type DecoderName, type DecoderTraits } from "./decoder-models.js";
import { encodeOnnx, type ValueInfo, withNote } from "./onnx.js";

/** Elements of an item of `x`. */
export const ITEM_LENGTH = 4;

/** A row that begins with less makes a run fail, or worse: the thousand says what, see `poisonOf`. */
const POISON = -1000;

export type Poison = "fail" | "trap" | "hang";

/** Larger numbers of items make another poison of `poisonElement`. */
export const POISONED_BELOW = 400;

/** Returns the first element of an item that does this to its run. @param id distinguishes items, below `POISONED_BELOW` */
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
  /** It runs only rows whose length is a multiple of this. */
  readonly multipleOf?: number;
  /** It answers what it gets: rows keep their numbers for the model that reads them next. */
  readonly passesOn?: true;
  /** Its answers tell how many rows a run has. */
  readonly countsRows?: true;
  /** Once its fixed batch is dynamic, it answers otherwise: its graph has a shape that no rewriting finds. */
  readonly isMisread?: true;
  /** Number of rows that are too many for a run, from when on, and what it does then: it ends its worker, or finds no memory. */
  readonly tooMany?: { readonly from: number; readonly sinceMs?: number; readonly does: "exit" | "oom" };
  /** What it does otherwise on the GPU, which nobody knows before its answers are compared. */
  readonly onGpu?: { readonly mixesFrom?: number; readonly factor?: number };
  /** Its file is so large that it starts on the GPU. */
  readonly isBulky?: true;
  /** Its states; none if it is left out. */
  readonly states?: readonly SimState[];
  /** It is a decoder of texts, see `decoder.ts`. */
  readonly decoder?: DecoderTraits;
  /** It returns its tokens, as the encoder of a decoder. */
  readonly isEncoder?: true;
}

/** A state of a model: the input, the output that feeds it, and the axis that counts the rows. */
export interface SimState {
  readonly input: string;
  readonly output: string;
  readonly dims: readonly (number | string)[];
}

const AFFINE = [
  { type: "Mul", inputs: ["x", "two"], output: "doubled" },
  { type: "Add", inputs: ["doubled", "bias"], output: "y" },
] as const;

/** What a GPU that answers wrongly multiplies its answers with. */
const SKEW = 1.5;

/** The name of an input that means something else in an object. */
export const ODD_NAME = "__proto__";

const rows = (batch: number | string, length: number | string) => ({
  inputs: [{ name: "x", dims: [batch, length] }],
  outputs: [{ name: "y", dims: [batch, length] }],
});

/** Models with states: rows on the first axis, on the second one, two states, and one whose states mix. */
export type RecurrentName = "rnn" | "layers" | "twin" | "mixedrnn";

export type ModelName =
  | "affine"
  | "passing"
  | "odd"
  | "ragged"
  | "thirds"
  | "fixed4"
  | "mixing"
  | "mixing4"
  | "counting"
  | "single"
  | "misread"
  | "brittle"
  | "tight"
  | "filling"
  | GpuName
  | RecurrentName
  | DecoderName
  | "encoder";

/** Models that are wrong on the GPU, or start there. */
type GpuName = "bulky" | "skewed" | "skewedbulky" | "gpumixed";

const STATE = { input: "state", output: "stateN", dims: ["batch", ITEM_LENGTH] } as const;
const LAYERS = { input: "state", output: "stateN", dims: [2, "batch", 2] } as const;
const COUNT = { input: "count", output: "countN", dims: ["batch", 1] } as const;

/** A graph that no rule of the product knows, so that the rows are always compared. */
function recurrent(name: RecurrentName, states: readonly SimState[], mixesFrom: number | null): SimModel {
  const { inputs, outputs } = rows("batch", ITEM_LENGTH);
  const all = ["x", ...states.map(({ input }) => input)];
  return {
    name,
    inputs: [...inputs, ...states.map(({ input, dims }) => ({ name: input, dims }))],
    outputs: [...outputs, ...states.map(({ output, dims }) => ({ name: output, dims }))],
    nodes: ["y", ...states.map(({ output }) => output)].map((output) => ({ type: "Recur", inputs: all, output })),
    mixesFrom,
    states,
  };
}

/** Every model computes `y = 2x + version`, and those with states add to it what `recurrent.ts` says; decoders do what `decoder.ts` says. They differ in their dimensions, and in whether rows mix. */
export const MODELS: Readonly<Record<ModelName, SimModel>> = {
  affine: { name: "affine", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: null },
  passing: {
    name: "passing",
    ...rows("batch", ITEM_LENGTH),
    nodes: [{ type: "Identity", inputs: ["x"], output: "y" }],
    mixesFrom: null,
    passesOn: true,
  },
  odd: {
    name: "odd",
    inputs: [{ name: ODD_NAME, dims: ["batch", ITEM_LENGTH] }],
    outputs: rows("batch", ITEM_LENGTH).outputs,
    nodes: [{ type: "Mul", inputs: [ODD_NAME, "two"], output: "doubled" }, AFFINE[1]],
    mixesFrom: null,
  },
  ragged: { name: "ragged", ...rows("batch", "length"), nodes: AFFINE, mixesFrom: null },
  thirds: { name: "thirds", ...rows("batch", "length"), nodes: AFFINE, mixesFrom: null, multipleOf: 3 },
  fixed4: { name: "fixed4", ...rows(4, ITEM_LENGTH), nodes: AFFINE, mixesFrom: null },
  mixing: { name: "mixing", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: 2 },
  counting: { name: "counting", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: null, countsRows: true },
  single: { name: "single", ...rows(1, ITEM_LENGTH), nodes: AFFINE, mixesFrom: null },
  misread: { name: "misread", ...rows(1, ITEM_LENGTH), nodes: AFFINE, mixesFrom: null, isMisread: true },
  brittle: {
    name: "brittle",
    ...rows("batch", ITEM_LENGTH),
    nodes: AFFINE,
    mixesFrom: null,
    tooMany: { from: 2, does: "exit" },
  },
  tight: {
    name: "tight",
    ...rows("batch", ITEM_LENGTH),
    nodes: AFFINE,
    mixesFrom: null,
    tooMany: { from: 3, does: "oom" },
  },
  filling: {
    name: "filling",
    ...rows("batch", ITEM_LENGTH),
    nodes: AFFINE,
    mixesFrom: null,
    tooMany: { from: 3, sinceMs: 3000, does: "oom" },
  },
  bulky: { name: "bulky", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: null, isBulky: true },
  skewed: { name: "skewed", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: null, onGpu: { factor: SKEW } },
  skewedbulky: {
    name: "skewedbulky",
    ...rows("batch", ITEM_LENGTH),
    nodes: AFFINE,
    mixesFrom: null,
    onGpu: { factor: SKEW },
    isBulky: true,
  },
  gpumixed: {
    name: "gpumixed",
    ...rows("batch", ITEM_LENGTH),
    nodes: AFFINE,
    mixesFrom: null,
    onGpu: { mixesFrom: 2 },
  },
  mixing4: { name: "mixing4", ...rows("batch", ITEM_LENGTH), nodes: AFFINE, mixesFrom: 4 },
  rnn: recurrent("rnn", [STATE], null),
  layers: recurrent("layers", [LAYERS], null),
  twin: recurrent("twin", [LAYERS, COUNT], null),
  mixedrnn: recurrent("mixedrnn", [STATE], 2),
  ...DECODERS,
};

/** The names of all models. */
export const MODEL_NAMES: readonly ModelName[] = [
  ...([
    "affine",
    "passing",
    "odd",
    "ragged",
    "thirds",
    "fixed4",
    "mixing",
    "mixing4",
    "counting",
    "single",
    "misread",
    "brittle",
    "tight",
    "filling",
  ] as const),
  ...(["bulky", "skewed", "skewedbulky", "gpumixed"] as const),
  ...(["rnn", "layers", "twin", "mixedrnn"] as const),
  ...(["leftward", "rightward", "unpadded", "heedless", "blended", "unpieced", "captioned", "encoder"] as const),
];

export function isDecoder(name: string): name is DecoderName {
  return Object.values(MODELS).some((model) => model.name === name && model.decoder !== undefined);
}

/** The answer of a model for one element. */
export function answer(x: number, version: number): number {
  return Math.fround(2 * x + version);
}

/** Size of a file whose model starts on the GPU, if there is one: `LARGE_BYTES` in `chosen-way.ts`. */
const BULK_BYTES = 500_000;

const files = new Map<string, Uint8Array>();

/** Returns the ONNX file of a version of a model. */
export function modelFile(name: ModelName, version: number): Uint8Array {
  const key = `sim:${name}:${version}`;
  const known = files.get(key);
  if (known !== undefined) return known;
  const { inputs, outputs, nodes, isBulky = false } = MODELS[name];
  const graph = encodeOnnx({ name: key, inputs, outputs, nodes, constants: { two: 2, bias: version } });
  const file = isBulky ? withNote(graph, BULK_BYTES) : graph;
  files.set(key, file);
  return file;
}

/** A model in a file. */
export interface FoundModel {
  readonly model: SimModel;
  readonly version: number;
}

/**
 * Returns the model and version in a file, in which framebatch may have made a fixed batch dynamic; `null` for another file, such
 * as the one that starts ONNX Runtime.
 */
export function readModelFile(bytes: Uint8Array): FoundModel | null {
  const [, name, version] = /sim:(\w+):(\d+)/.exec(Buffer.from(bytes).toString("latin1")) ?? [];
  const found = Object.values(MODELS).find((model) => model.name === name);
  if (found === undefined) return null;
  if (bytes.byteLength === modelFile(found.name, Number(version)).byteLength)
    return { model: found, version: Number(version) };
  const shift = found.isMisread === true ? 0.5 : 0;
  return { model: { ...found, ...rows("batch", ITEM_LENGTH) }, version: Number(version) + shift };
}
