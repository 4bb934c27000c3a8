import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { type BatchDimension, batchDimension, meaningfulSymbol } from "./batch-dimension.js";
import {
  hasBatch,
  type BatchAxisOverrides,
  type ModelSignature,
  type TensorMetadata,
  type UnresolvedTensor,
  overriddenAxis,
} from "./signature.js";
import type { AxisOrigin } from "./output-rows.js";
import { describeDims, describeValue } from "@framebatch/batcher/errors/description.js";
import { isTensorType } from "../tensor/element-types.js";
import { unknownName } from "@framebatch/batcher/errors/option-errors.js";
import type { TensorInfo } from "../tensor/tensor.js";

/**
 * Finds the batch axis of each input and output. The batch axis is the axis with the model's name for the batch, or
 * else a leading dynamic dimension. If no leading dimension is dynamic, it is a leading size that is the same in all
 * tensors. An input without a batch axis is shared. If no input has one, a run is of one item, which has all inputs and
 * outputs whole.
 *
 * @throws INVALID_OPTION when an override fits no tensor, when several dimensions could be the batch, or when an
 * output has no batch axis, or is the only tensor that has one. The `batchAxis` option resolves each of these.
 * @throws MODEL_INVALID when a tensor type has no array in JavaScript, or the batch is fixed at 0.
 */
export function resolveSignature(
  inputMetadata: readonly TensorMetadata[],
  outputMetadata: readonly TensorMetadata[],
  batchAxis: BatchAxisOverrides = {},
): ModelSignature {
  const { signature, unknown } = declaredSignature(inputMetadata, outputMetadata, batchAxis);
  for (const error of unknown.values()) throw error;
  return signature;
}

/** What the names and sizes of a model say. */
export interface DeclaredSignature {
  /** Outputs without a batch axis include those of `unknown`. */
  readonly signature: ModelSignature;
  /** Outputs of which nothing says whether they have rows, and the error for each if a run does not show it. */
  readonly unknown: ReadonlyMap<string, FramebatchError>;
  /** Where the batch axis of each output comes from. */
  readonly origins: ReadonlyMap<string, AxisOrigin>;
}

/**
 * Reads what a model declares, as `resolveSignature` does.
 * @throws the errors of `resolveSignature` but those in `unknown`
 */
export function declaredSignature(
  inputMetadata: readonly TensorMetadata[],
  outputMetadata: readonly TensorMetadata[],
  batchAxis: BatchAxisOverrides = {},
): DeclaredSignature {
  const inputs = inputMetadata.map((metadata) => readMetadata(metadata, "input"));
  const outputs = outputMetadata.map((metadata) => readMetadata(metadata, "output", outputMetadata));
  checkOverrides([...inputs, ...outputs], batchAxis);
  const batch = batchDimension(inputs, outputs, batchAxis);
  const resolvedInputs = inputs.map((tensor) => withAxis(tensor, inputAxis(tensor, batch, batchAxis)));
  const isWhole = isWithoutBatch(resolvedInputs, outputs, batchAxis);
  const fixedBatch = isWhole ? 1 : fixedBatchOf(resolvedInputs);
  const innerSymbols = new Set(resolvedInputs.flatMap(itemSymbols));
  const declared = outputs.map((tensor) =>
    isWhole ? wholeOutput(tensor) : outputAxis(tensor, batch, batchAxis, innerSymbols),
  );
  return {
    signature: { inputs: resolvedInputs, outputs: declared.map(({ info }) => info), fixedBatch },
    unknown: new Map(
      declared.flatMap(({ info, isKnown }): [string, FramebatchError][] =>
        isKnown ? [] : [[info.name, withoutRows(info)]],
      ),
    ),
    origins: new Map(declared.map(({ info, origin }) => [info.name, origin])),
  };
}

interface DeclaredOutput {
  readonly info: TensorInfo;
  readonly origin: AxisOrigin;
  readonly isKnown: boolean;
}

/** Whether a model has no batch, and the user names none. Inputs of no known shape may have one. */
function isWithoutBatch(
  inputs: readonly TensorInfo[],
  outputs: readonly UnresolvedTensor[],
  overrides: BatchAxisOverrides,
): boolean {
  const isTold = outputs.some(({ name }) => typeof overriddenAxis(name, overrides) === "number");
  return inputs.some(({ dims }) => dims.length > 0) && !hasBatch(inputs) && !isTold;
}

function wholeOutput(tensor: UnresolvedTensor): DeclaredOutput {
  return { info: withAxis(tensor, null), origin: "told", isKnown: true };
}

const UNNAMED_DYNAMIC = 4294967295;

/** @param outputs all outputs, of an output */
function readMetadata(
  { name, type, shape, operator }: TensorMetadata,
  kind: "input" | "output",
  outputs: readonly TensorMetadata[] = [],
): UnresolvedTensor {
  if (type === undefined || shape === undefined || !isTensorType(type)) {
    throw new FramebatchError(
      "MODEL_INVALID",
      `${kind} "${name}": expected a tensor of a type that JavaScript has an array for, got ${type ?? "a sequence, map or optional"}; ${fixFor(operator, outputs)}`,
      { details: { [kind]: name } },
    );
  }
  return {
    name,
    type,
    dims: shape.map((size) => (typeof size === "number" && size >= 0 && size !== UNNAMED_DYNAMIC ? size : null)),
    symbols: shape.map((size) => (typeof size === "string" && size !== "" ? size : null)),
  };
}

/** Says how to do without a tensor. @param operator see `TensorMetadata`. A server leaves nothing out. */
function fixFor(operator: string | undefined, outputs: readonly TensorMetadata[]): string {
  const tensors = operator === undefined ? [] : outputs.filter(({ type = "" }) => isTensorType(type));
  const others = tensors.map(({ name }) => JSON.stringify(name));
  const leftOut = others.length === 0 ? "" : `leave it out with outputs: [${others.join(", ")}], or `;
  const exported =
    operator === "ai.onnx.ml.ZipMap"
      ? 'export the model without ZipMap, in Python: options={id(model): {"zipmap": False}} for skl2onnx, zipmap=False for onnxmltools'
      : "export the model without it";
  return `${leftOut}${exported}`;
}

function checkOverrides(tensors: readonly UnresolvedTensor[], batchAxis: BatchAxisOverrides): void {
  if (typeof batchAxis !== "object" || batchAxis === null || Array.isArray(batchAxis)) {
    throw new FramebatchError(
      "INVALID_OPTION",
      `batchAxis: expected an object of axes by tensor name, got ${describeValue(batchAxis)}; write { "${tensors[0]?.name}": 0 }`,
    );
  }
  for (const [name, axis] of Object.entries(batchAxis)) checkOverride(name, axis, tensors);
}

function checkOverride(name: string, axis: unknown, tensors: readonly UnresolvedTensor[]): void {
  const named = tensors.filter((tensor) => tensor.name === name);
  if (named.length === 0) {
    const names = tensors.map((tensor) => tensor.name);
    throw new FramebatchError(
      "INVALID_OPTION",
      `batchAxis: expected ${unknownName("the name of an input or output", name, names)}`,
      { details: { tensor: name } },
    );
  }
  for (const tensor of named) {
    if (axis === null || (typeof axis === "number" && isAxisOf(tensor, axis))) continue;
    throw new FramebatchError(
      "INVALID_OPTION",
      `batchAxis["${name}"]: expected an axis of ${describeDims(tensor.dims, tensor.symbols)} (${axisRange(tensor)}) or null, got ${describeValue(axis)}; count axes from 0`,
      { details: { tensor: name } },
    );
  }
}

/**
 * An empty shape may be an unknown shape. Any axis could then be the batch axis, and the first answer shows whether it
 * is.
 */
function isAxisOf({ dims }: UnresolvedTensor, axis: number): boolean {
  return Number.isInteger(axis) && axis >= 0 && (dims.length === 0 || axis < dims.length);
}

function axisRange({ dims }: UnresolvedTensor): string {
  if (dims.length === 0) return "0 or more";
  return dims.length === 1 ? "0" : `0 to ${dims.length - 1}`;
}

function withAxis(tensor: UnresolvedTensor, batchAxis: number | null): TensorInfo {
  return { ...tensor, batchAxis };
}

function inputAxis(tensor: UnresolvedTensor, batch: BatchDimension, overrides: BatchAxisOverrides): number | null {
  const overridden = overriddenAxis(tensor.name, overrides);
  if (overridden === undefined) {
    const axis = foundAxis(tensor, batch, (symbol) => meaningfulSymbol(symbol) === null);
    if (axis === null && batch.size === null) refuseHiddenBatch(tensor);
    return axis;
  }
  if (overridden === null || tensor.dims.length > 0) return overridden;
  throw new FramebatchError(
    "INVALID_OPTION",
    `batchAxis["${tensor.name}"]: expected null, since this input is a scalar or has no shape in the model, got ${overridden}; set null, or export the model with the input's shape`,
    { details: { tensor: tensor.name } },
  );
}

/**
 * Throws if the only dynamic dimension of an input stands between fixed ones and has no name, as the batch in the state
 * of a recurrent network does. Shared by the batch, such a state would reach no item right.
 */
function refuseHiddenBatch({ name, dims, symbols }: UnresolvedTensor): void {
  const axis = dims.indexOf(null);
  const isInner = axis > 0 && axis < dims.length - 1 && axis === dims.lastIndexOf(null);
  if (!isInner || meaningfulSymbol(symbols[axis] ?? null) !== null) return;
  throw new FramebatchError(
    "INVALID_OPTION",
    `batchAxis: expected to know whether axis ${axis} of input "${name}" is the batch, got ${describeDims(dims, symbols)}; set batchAxis: { "${name}": ${axis} }, likewise for an output that continues it, or null if all items of a batch share the input`,
    { details: { tensor: name } },
  );
}

function outputAxis(
  tensor: UnresolvedTensor,
  batch: BatchDimension,
  overrides: BatchAxisOverrides,
  innerSymbols: ReadonlySet<string>,
): DeclaredOutput {
  const overridden = overriddenAxis(tensor.name, overrides);
  if (overridden !== undefined) return { info: withAxis(tensor, overridden), origin: "told", isKnown: true };
  const folded = tensor.symbols.findIndex((symbol) => isMultiple(symbol, batch.symbol));
  if (folded >= 0) return { info: { ...withAxis(tensor, folded), isFolded: true }, origin: "named", isKnown: true };
  // Exporters often lose the batch's name before an output. A size of the items themselves is not the batch.
  const axis = foundAxis(tensor, batch, (symbol) => symbol === null || !innerSymbols.has(symbol));
  const isNamed = axis !== null && (batch.size !== null || tensor.symbols[axis] === (batch.symbol ?? ""));
  const isKnown = axis !== null || batch.size === 1;
  return { info: withAxis(tensor, axis), origin: isNamed || batch.size === 1 ? "named" : "guessed", isKnown };
}

/**
 * Whether a size is a product with that of the batch, such as "5*batch", so that each item has several entries there.
 */
function isMultiple(symbol: string | null, batch: string | null): boolean {
  const factors = symbol?.split("*").map((factor) => factor.trim()) ?? [];
  return batch !== null && factors.length > 1 && factors.filter((factor) => factor === batch).length === 1;
}

/** The error for an output that has no axis for rows as far as is known. */
function withoutRows({ name, dims, symbols }: TensorInfo): FramebatchError {
  return new FramebatchError(
    "INVALID_OPTION",
    `output "${name}": expected a dynamic batch dimension, got ${describeDims(dims, symbols)}; set batchAxis: { "${name}": AXIS } with the axis that counts the rows, or null if it is the same for all items of a batch or all of them decide it`,
    { details: { output: name } },
  );
}

/**
 * Returns the axis with the batch's name or size, or else a leading dynamic axis whose name allows it to be the batch.
 */
function foundAxis(
  { name, dims, symbols }: UnresolvedTensor,
  batch: BatchDimension,
  mayBeBatch: (symbol: string | null) => boolean,
): number | null {
  if (batch.size !== null) return dims[0] === batch.size ? 0 : null;
  const named = batch.symbol === null ? -1 : symbols.indexOf(batch.symbol);
  if (named !== symbols.lastIndexOf(batch.symbol ?? "")) throw twoBatchAxesError(name, dims, symbols);
  if (named >= 0) return named;
  return batch.leads && dims[0] === null && mayBeBatch(symbols[0] ?? null) ? 0 : null;
}

/**
 * The error for a tensor with the batch in two dimensions, such as the similarity of every row to every other. The
 * answer of such a model to an item depends on the other items in the batch.
 */
function twoBatchAxesError(
  name: string,
  dims: UnresolvedTensor["dims"],
  symbols: UnresolvedTensor["symbols"],
): FramebatchError {
  return new FramebatchError(
    "INVALID_OPTION",
    `"${name}": expected the batch to be one dimension, got ${describeDims(dims, symbols)}; export the model without it, or set batchAxis: { "${name}": AXIS }`,
    { details: { tensor: name } },
  );
}

/** Returns the names of sizes that belong to the item and not to the batch. */
function itemSymbols({ symbols, batchAxis }: TensorInfo): string[] {
  return symbols.filter((symbol, axis): symbol is string => symbol !== null && axis !== batchAxis);
}

function fixedBatchOf(inputs: readonly TensorInfo[]): number | null {
  const batched = inputs.filter((input) => input.batchAxis !== null);
  if (batched.length === 0) {
    const described = inputs.map(({ name, dims, symbols }) => `"${name}" ${describeDims(dims, symbols)}`);
    // An input without a shape takes no axis.
    const fix = inputs.every(({ dims }) => dims.length === 0)
      ? "export the model with the shapes of its inputs, the first dimension dynamic"
      : "export the model with a leading dynamic dimension, or name the axis in batchAxis";
    throw new FramebatchError(
      "INVALID_OPTION",
      `inputs: expected one with a batch dimension, got ${described.join(", ") || "none"}; ${fix}`,
    );
  }
  const sizes = new Set(
    batched.map(({ dims, batchAxis }) => dims[batchAxis ?? 0] ?? null).filter((size) => size !== null),
  );
  if (sizes.has(0)) {
    const described = batched.map(({ name, dims, symbols }) => `"${name}" ${describeDims(dims, symbols)}`);
    throw new FramebatchError(
      "MODEL_INVALID",
      `inputs: expected a batch of at least one item, got ${described.join(", ")}; export the model with a dynamic first dimension`,
    );
  }
  if (sizes.size <= 1) return [...sizes][0] ?? null;
  throw new FramebatchError(
    "INVALID_OPTION",
    `batchAxis: expected the same batch size in every input, got ${[...sizes].join(" and ")}; set null for inputs that the batch shares`,
  );
}
