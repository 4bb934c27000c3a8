import { FramebatchError } from "../errors.js";
import { type BatchAxisOverrides, type UnresolvedTensor, overriddenAxis } from "./signature.js";
import { describeDims } from "../tensor/description.js";

/** How the batch is known among a model's dimensions: by name, by a fixed size, or (both `null`) as what leads. */
export interface BatchDimension {
  readonly symbol: string | null;
  readonly size: number | null;
  /** Whether it leads some input: a nameless leading dimension of another tensor may then be it, too. */
  readonly leads: boolean;
}

/** A dimension that may be the batch. */
interface Candidate {
  readonly tensor: string;
  readonly axis: number;
  readonly symbol: string | null;
  readonly size: number | null;
  readonly isChosen: boolean;
}

/** A name that says that it is the batch. */
const TELLING_NAME = /batch/i;

/** Names of what items consist of. A model without a batch may have one of them in front. */
const ITEM_NAME = /seq|length|time|token|height|width/i;

/**
 * What tells the batch from other dimensions: a name that the user chose; else a name that says so, wherever it stands; else
 * the name that leads both inputs and outputs; else the only one that leads inputs. With nothing dynamic in front, it is a
 * size that leads inputs and all outputs.
 * @throws `INVALID_OPTION` where several would do, or where what would do may be something else: a wrong guess would give
 * wrong numbers.
 */
export function batchDimension(
  inputs: readonly UnresolvedTensor[],
  outputs: readonly UnresolvedTensor[],
  overrides: BatchAxisOverrides,
): BatchDimension {
  const likely = likelyDimensions(inputs, overrides);
  const chosen = likely.find(({ isChosen, symbol }) => isChosen && symbol !== null);
  if (chosen !== undefined) return { symbol: chosen.symbol, size: null, leads: chosen.axis === 0 };
  const telling = tellingDimensions(inputs, overrides);
  if (telling.length > 0) {
    const symbol = onlyName(telling, new Set(outputs.flatMap(({ symbols }) => symbols)));
    return {
      symbol,
      size: null,
      leads: telling.some((candidate) => candidate.symbol === symbol && candidate.axis === 0),
    };
  }
  const likelyOutputs = likelyDimensions(outputs, overrides);
  if (!likely.some(({ size }) => size === null)) {
    return { symbol: null, size: fixedSize(inputs, likely, likelyOutputs), leads: true };
  }
  const symbol = onlyName(likely, new Set(likelyOutputs.map((output) => output.symbol)));
  if (symbol !== null && ITEM_NAME.test(symbol))
    throw ambiguous(likely.filter((candidate) => candidate.symbol === symbol));
  return { symbol, size: null, leads: true };
}

/**
 * The name, unless an exporter made it up: tf2onnx numbers each dimension ("unk__7"), and PyTorch does so where it is given
 * axes without names ("input_dynamic_axes_1"). Such names differ from tensor to tensor and say nothing of the batch.
 */
export function meaningfulSymbol(symbol: string | null): string | null {
  return symbol === null || /^unk__\d+$|_dynamic_axes_\d+$/.test(symbol) ? null : symbol;
}

/** Of each tensor the dimension that the user chose, else the leading one. */
function likelyDimensions(tensors: readonly UnresolvedTensor[], overrides: BatchAxisOverrides): Candidate[] {
  return tensors.flatMap((tensor) => {
    const chosen = overriddenAxis(tensor.name, overrides);
    return chosen === null ? [] : candidatesOf(tensor, [chosen ?? 0], chosen !== undefined);
  });
}

/** Dimensions named for the batch, in tensors for which the user has not chosen. */
function tellingDimensions(tensors: readonly UnresolvedTensor[], overrides: BatchAxisOverrides): Candidate[] {
  const free = tensors.filter(({ name }) => overriddenAxis(name, overrides) === undefined);
  const all = free.flatMap((tensor) => candidatesOf(tensor, [...tensor.dims.keys()], false));
  return all.filter(({ symbol }) => symbol !== null && TELLING_NAME.test(symbol));
}

function candidatesOf(
  { name, dims, symbols }: UnresolvedTensor,
  axes: readonly number[],
  isChosen: boolean,
): Candidate[] {
  return axes.flatMap((axis) => {
    const size = dims[axis];
    if (size === undefined) return [];
    return [{ tensor: name, axis, symbol: meaningfulSymbol(symbols[axis] ?? null), size, isChosen }];
  });
}

/** The only name among the candidates, or the only one that outputs have as well; `null` where none has a name. */
function onlyName(candidates: readonly Candidate[], ofOutputs: ReadonlySet<string | null>): string | null {
  const names = [...new Set(candidates.map(({ symbol }) => symbol).filter((symbol) => symbol !== null))];
  const shared = names.filter((name) => ofOutputs.has(name));
  const possible = shared.length > 0 ? shared : names;
  if (possible.length > 1) {
    throw ambiguous(candidates.filter(({ symbol }) => symbol !== null && possible.includes(symbol)));
  }
  return possible[0] ?? null;
}

function ambiguous(rivals: readonly Candidate[]): FramebatchError {
  const described = rivals.map(({ symbol, tensor }) => `"${symbol}" (input "${tensor}")`);
  const [first] = rivals;
  const others = rivals.filter(({ tensor }) => tensor !== first?.tensor).map(({ tensor }) => `"${tensor}": null`);
  return new FramebatchError(
    "INVALID_OPTION",
    `batchAxis: expected one dimension that can only be the batch, got ${described.join(" and ")}; say which it is, for example { ${[`"${first?.tensor}": ${first?.axis}`, ...others].join(", ")} }`,
  );
}

/** A size that only some outputs have is still the batch where it is 1: every output then belongs to the one row. */
function fixedSize(
  inputs: readonly UnresolvedTensor[],
  ofInputs: readonly Candidate[],
  ofOutputs: readonly Candidate[],
): number | null {
  const chosen = ofInputs.find(({ isChosen }) => isChosen);
  if (chosen !== undefined) return chosen.size;
  const sizes = new Set(ofInputs.map(({ size }) => size));
  const shared = [...sizes].filter((size) => ofOutputs.every((output) => output.size === size));
  const size = shared.length === 1 ? (shared[0] ?? null) : sizes.size === 1 && sizes.has(1) ? 1 : null;
  if (size !== null && size > 1) refuseInnerRivals(inputs);
  return size;
}

/** A dynamic dimension behind a fixed one is as likely to be the batch. One row at a time is right in either case. */
function refuseInnerRivals(inputs: readonly UnresolvedTensor[]): void {
  const rival = inputs.find(({ dims }) => dims.includes(null));
  if (rival === undefined) return;
  const { name, dims, symbols } = rival;
  throw new FramebatchError(
    "INVALID_OPTION",
    `batchAxis: expected one dimension that can only be the batch, got input "${name}" ${describeDims(dims, symbols)} with a fixed size in front; say for each input and output which axis it is, for example { "${name}": ${dims.indexOf(null)} }`,
  );
}
