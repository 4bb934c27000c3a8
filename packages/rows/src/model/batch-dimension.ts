import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { type BatchAxisOverrides, type UnresolvedTensor, overriddenAxis } from "./signature.js";
import { describeDims } from "@framebatch/batcher/errors/description.js";

/**
 * How to recognise the batch among a model's dimensions: by name, by a fixed size, or, if both are `null`, as the
 * leading dimension.
 */
export interface BatchDimension {
  readonly symbol: string | null;
  readonly size: number | null;
  /** Whether the batch leads some input. An unnamed leading dimension of another tensor may then be the batch too. */
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

/** A name that identifies the batch. */
const BATCH_NAME = /batch/i;

/** Names of item dimensions, which may come first in a model without a batch. */
const ITEM_NAME = /seq|length|time|token|height|width/i;

/**
 * Identifies the batch among other dimensions. In order of precedence, it is:
 * - a name that the user chose;
 * - a name that contains "batch", in any position;
 * - the name that leads both inputs and outputs;
 * - the only name that leads inputs.
 *
 * If no leading dimension is dynamic, it is a size that leads inputs and all outputs.
 * @throws INVALID_OPTION when several dimensions qualify, or when the one that qualifies may be something else,
 * because a wrong guess would produce wrong numbers.
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
 * Returns the name, or `null` if an exporter generated it. tf2onnx numbers each dimension ("unk__7"), and PyTorch
 * numbers axes that have no names ("input_dynamic_axes_1"). Such names differ between tensors and do not identify the
 * batch.
 */
export function meaningfulSymbol(symbol: string | null): string | null {
  return symbol === null || /^unk__\d+$|_dynamic_axes_\d+$/.test(symbol) ? null : symbol;
}

/** Returns, for each tensor, the dimension that the user chose, or else the leading one. */
function likelyDimensions(tensors: readonly UnresolvedTensor[], overrides: BatchAxisOverrides): Candidate[] {
  return tensors.flatMap((tensor) => {
    const chosen = overriddenAxis(tensor.name, overrides);
    return chosen === null ? [] : candidatesOf(tensor, [chosen ?? 0], chosen !== undefined);
  });
}

/** Returns the dimensions named for the batch, in tensors without a choice by the user. */
function tellingDimensions(tensors: readonly UnresolvedTensor[], overrides: BatchAxisOverrides): Candidate[] {
  const free = tensors.filter(({ name }) => overriddenAxis(name, overrides) === undefined);
  const all = free.flatMap((tensor) => candidatesOf(tensor, [...tensor.dims.keys()], false));
  return all.filter(({ symbol }) => symbol !== null && BATCH_NAME.test(symbol));
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

/** Returns the only name among the candidates, or the only one that outputs also have; `null` if none has a name. */
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

/**
 * Returns the fixed batch size, or `null`. A size of 1 counts even if only some outputs have it, because every output
 * then belongs to the one row.
 */
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

/**
 * Throws if a dynamic dimension follows a fixed size, because either could be the batch. With one row at a time, both
 * readings give the same result.
 */
function refuseInnerRivals(inputs: readonly UnresolvedTensor[]): void {
  const rival = inputs.find(({ dims }) => dims.includes(null));
  if (rival === undefined) return;
  const { name, dims, symbols } = rival;
  throw new FramebatchError(
    "INVALID_OPTION",
    `batchAxis: expected one dimension that can only be the batch, got input "${name}" ${describeDims(dims, symbols)} with a fixed size in front; say for each input and output which axis it is, for example { "${name}": ${dims.indexOf(null)} }`,
  );
}
