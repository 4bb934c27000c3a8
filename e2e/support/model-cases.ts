import type { ModelOptions, TensorType } from "framebatch";
import type { TestedProvider } from "./tested-provider.js";
import type { PlainItem, PlainTensor } from "../fixtures/both-ways.js";

/** A generated model, and how the tests call it. */
export interface ModelCase {
  readonly model: string;
  /** The feature that the model tests. */
  readonly what: string;
  /** Returns the item with an index. */
  readonly item: (index: number) => PlainItem;
  readonly options?: Pick<ModelOptions, "padding" | "batchAxis" | "allowedBatchSizes">;
  readonly leftOut?: readonly string[];
  readonly batchAxes?: Readonly<Record<string, number | null>>;
  readonly copies?: number;
  /** The number of requests in the largest batch, of a burst of ten requests on WASM. @default 10 */
  readonly largestBatch?: number;
  /** @default "passed" */
  readonly check?: "passed" | "failed" | "inconclusive";
  readonly isRebatched?: boolean;
  /** The backend on which it runs if both are allowed. @default "webgpu" */
  readonly runsOn?: TestedProvider;
}

const LENGTHS = [5, 12, 3, 8, 12, 1, 7, 5, 3, 12] as const;
const SIZES = [
  [4, 6],
  [6, 4],
  [5, 5],
  [4, 6],
  [6, 4],
  [5, 5],
  [4, 6],
  [6, 4],
  [5, 5],
  [4, 6],
] as const;

/** Returns numbers that differ from item to item. They are quarters, which every floating-point type holds exactly. */
function floats(dims: readonly number[], seed: number, type: TensorType = "float32"): PlainTensor {
  return { type, dims, values: integers(dims, seed, type).values.map((value) => Number(value) / 4 - 3) };
}

function integers(dims: readonly number[], seed: number, type: TensorType, below = 53): PlainTensor {
  const length = dims.reduce((product, size) => product * size, 1);
  return { type, dims, values: Array.from({ length }, (_, index) => (7 * seed + 3 * index + seed * index) % below) };
}

function ones(dims: readonly number[], type: TensorType): PlainTensor {
  return { ...integers(dims, 0, type), values: integers(dims, 0, type).values.map(() => 1) };
}

function lengthOf(index: number): number {
  return LENGTHS[index % LENGTHS.length] ?? 1;
}

const PLAIN: readonly ModelCase[] = [
  { model: "mlp-small", what: "a named batch", item: (index) => ({ x: floats([8], index) }) },
  { model: "cnn-28", what: "images", item: (index) => ({ image: floats([1, 28, 28], index) }) },
  {
    model: "several-outputs",
    what: "outputs of several types and ranks",
    item: (index) => ({ x: floats([8], index) }),
  },
];

const OTHERS_NAMED: readonly ModelCase[] = [
  { model: "mlp-unnamed-batch", what: "a batch without a name", item: (index) => ({ x: floats([8], index) }) },
  {
    model: "two-inputs",
    what: "several inputs and outputs",
    item: (index) => ({ a: floats([4], index), b: floats([4], index + 100) }),
  },
];

/** A selection of tensor types. `OTHER_TYPES` holds the others. */
const TYPES: readonly ModelCase[] = [
  ...(["float32", "float16"] as const).map((type) => affine(type, (index) => floats([4], index, type))),
  affine("int64", (index) => integers([4], index, "int64")),
  { model: "not-bool", what: "tensors of bool", item: (index) => ({ x: integers([4], index, "bool", 2) }) },
  {
    model: "identity-string",
    what: "tensors of strings",
    item: (index) => ({ x: { type: "string", dims: [4], values: ["", "naïve", "日本", `🙂 ${index}`] } }),
  },
];

const OTHER_TYPES: readonly ModelCase[] = [
  affine("float64", (index) => floats([4], index, "float64")),
  ...(["int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64"] as const).map((type) =>
    affine(type, (index) => integers([4], index, type)),
  ),
];

function affine(type: TensorType, x: (index: number) => PlainTensor): ModelCase {
  const isRefused = ["float16", "float64", "int16", "uint16"].includes(type);
  const runsOn = isRefused ? "wasm" : "webgpu";
  return { model: `affine-${type}`, what: `tensors of ${type}`, item: (index) => ({ x: x(index) }), runsOn };
}

const AXES: readonly ModelCase[] = [
  {
    model: "inner-batch-axis",
    what: "a batch that is not the first axis",
    item: (index) => ({ state: floats([2, 8], index) }),
    batchAxes: { state: 1 },
  },
  {
    model: "shared-scalar",
    what: "a scalar that all items of a batch share",
    item: (index) => ({ x: floats([4], index), gain: { type: "float32", dims: [], values: [1 + (index % 2)] } }),
    batchAxes: { gain: null },
    largestBatch: 5,
  },
  {
    model: "recurrent",
    what: "a recurrent network with a state on an inner axis and a shared sample rate",
    item: (index) => ({
      input: floats([32], index),
      state: floats([2, 128], index),
      sr: { type: "int64", dims: [], values: [index < 6 ? 16_000 : 8000] },
    }),
    batchAxes: { state: 1, sr: null },
    largestBatch: 6,
  },
  {
    model: "shared-output",
    what: "an output without a batch axis, which every item gets completely",
    item: (index) => ({ x: floats([4], index) }),
    options: { batchAxis: { classes: null } },
  },
];

const SHAPES: readonly ModelCase[] = [
  {
    model: "two-dynamic-dims",
    what: "images of three sizes, batched by size",
    item: (index) => ({ image: floats([3, ...(SIZES[index] ?? [])], index) }),
    largestBatch: 4,
  },
  {
    model: "pixelwise",
    what: "images of different height and width, padded and trimmed",
    item: (index) => ({ image: floats([3, ...(SIZES[index] ?? [])], index) }),
    options: { padding: { image: {} } },
  },
  {
    model: "variable-length",
    what: "lengths padded on the left to a multiple",
    item: (index) => ({ seq: floats([lengthOf(index)], index) }),
    options: { padding: { seq: { side: "left", multipleOf: 4, value: 9 } } },
  },
  maskedMean("left"),
  {
    model: "text-encoder",
    what: "token ids with a mask of their own type",
    item: (index) => ({
      ids: integers([lengthOf(index)], index, "int64", 999),
      mask: ones([lengthOf(index)], "int64"),
    }),
    options: { padding: { ids: { mask: "mask", multipleOf: 4 } } },
    leftOut: ["mask"],
  },
];

const OTHER_SHAPES: readonly ModelCase[] = [
  {
    model: "variable-length",
    what: "lengths padded on the right to buckets",
    item: (index) => ({ seq: floats([lengthOf(index)], index) }),
    options: { padding: { seq: { buckets: [4, 8, 16] } } },
  },
  {
    model: "last-step",
    what: "an answer that needs padding on the left",
    item: (index) => ({ seq: floats([lengthOf(index)], index) }),
    options: { padding: { seq: { side: "left" } } },
  },
  maskedMean("right"),
];

function maskedMean(side: "left" | "right"): ModelCase {
  return {
    model: "masked-mean",
    what: `a mask that is filled, padded on the ${side}`,
    item: (index) => ({ seq: floats([lengthOf(index)], index), mask: ones([lengthOf(index)], "float32") }),
    options: { padding: { seq: { side, mask: "mask", value: 99 } } },
    leftOut: ["mask"],
  };
}

const FIXED: readonly ModelCase[] = [
  {
    model: "mlp-fixed-4",
    what: "a fixed batch of four rows",
    item: (index) => ({ x: floats([8], index) }),
    copies: 4,
    largestBatch: 4,
  },
  rebatched("mlp-fixed-1", "a fixed batch of one row", "x", [8]),
  rebatched(
    "fixed-1-attention",
    "a fixed batch of one row, and four reshapes of which three share a shape",
    "seq",
    [5, 8],
  ),
  unrebatched("fixed-1-transposed", "a fixed batch of one row, transposed before a reshape to a literal size", [3, 4]),
];

const OTHER_FIXED: readonly ModelCase[] = [
  rebatched("fixed-1-described", "a fixed batch of one row, also in the shape hints of inner tensors", "x", [8]),
  rebatched("fixed-1-flattened", "a fixed batch of one row, and a reshape of it", "image", [2, 6, 6]),
  rebatched("fixed-1-folded", "a fixed batch of one row whose steps become rows", "seq", [6, 8]),
  {
    model: "fixed-1-two-inputs",
    what: "a fixed batch of one row with two inputs",
    item: (index) => ({ a: floats([4], index), b: floats([4], index + 100) }),
    isRebatched: true,
  },
  unrebatched("fixed-1-sums", "a fixed batch of one row, and a sum over the batch", [4]),
  unrebatched("fixed-1-total", "a fixed batch of one row, and an output without a batch axis", [4]),
];

function rebatched(model: string, what: string, input: string, dims: readonly number[]): ModelCase {
  return { model, what, item: (index) => ({ [input]: floats(dims, index) }), isRebatched: true };
}

/** A model with a fixed batch that framebatch cannot rewrite for more rows. */
function unrebatched(model: string, what: string, dims: readonly number[]): ModelCase {
  return { model, what, item: (index) => ({ x: floats(dims, index) }), largestBatch: 1, check: "failed" };
}

const MISBEHAVING: readonly ModelCase[] = [
  {
    model: "mixes-rows",
    what: "rows that change each other's answers",
    item: (index) => ({ x: floats([4], index) }),
    largestBatch: 1,
    check: "failed",
  },
  {
    model: "literal-batch",
    what: "a batch that is declared as dynamic but is fixed",
    item: (index) => ({ x: floats([4], index) }),
    largestBatch: 1,
    check: "failed",
    runsOn: "wasm",
  },
  {
    model: "two-dynamic-dims",
    what: "padding that changes the answer of the model",
    item: (index) => ({ image: floats([3, 6, 6], index) }),
    options: { padding: { image: {} } },
    largestBatch: 1,
    check: "failed",
    runsOn: "wasm",
  },
  {
    model: "ignores-input",
    what: "an answer that does not depend on the input, so that the batch check is inconclusive",
    item: (index) => ({ x: floats([4], index) }),
    check: "inconclusive",
    largestBatch: 1,
  },
];

export interface CaseGroup {
  readonly about: string;
  readonly cases: readonly ModelCase[];
  /**
   * "to WASM": the default tests run the group only on WASM, because it differs from an earlier group only in work
   * before the backend. "to --all": only `npm test -- --all` runs the group, because it differs from an earlier group
   * only in detail.
   */
  readonly left?: "to WASM" | "to --all";
}

export const CASE_GROUPS: readonly CaseGroup[] = [
  { about: "plain models", left: "to WASM", cases: PLAIN },
  { about: "tensors of every kind", cases: TYPES },
  { about: "models with other names", cases: OTHERS_NAMED, left: "to WASM" },
  { about: "batches on any axis", cases: AXES, left: "to WASM" },
  { about: "items of different sizes", cases: SHAPES, left: "to WASM" },
  { about: "models with a fixed batch", cases: FIXED, left: "to WASM" },
  { about: "models that misbehave in batches", cases: MISBEHAVING, left: "to WASM" },
  { about: "tensors of every other type", cases: OTHER_TYPES, left: "to --all" },
  { about: "items of different sizes, padded in other ways", cases: OTHER_SHAPES, left: "to --all" },
  { about: "other models with a fixed batch", cases: OTHER_FIXED, left: "to --all" },
];
