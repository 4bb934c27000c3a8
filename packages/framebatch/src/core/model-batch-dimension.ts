import { FramebatchError } from "./errors.js";
import { overriddenAxis } from "./model-signature.js";
import type { BatchAxisOverrides, UnresolvedTensor } from "./model-signature.js";

/** How the batch is known among a model's dimensions: by name, by a fixed size, or (both `null`) as what leads. */
export interface BatchDimension {
  readonly symbol: string | null;
  readonly size: number | null;
}

/** A dimension that may be the batch: the one that the user chose, else the leading one. */
interface Candidate {
  readonly tensor: string;
  readonly symbol: string | null;
  readonly size: number | null;
  readonly isChosen: boolean;
}

/**
 * What tells the batch from other dimensions. A name that the user chose decides; then the one that leads both inputs and
 * outputs; then the only one that leads inputs. With nothing dynamic, it is a size that leads inputs and all outputs.
 * @throws `INVALID_OPTION` where several names would do.
 */
export function batchDimension(
  inputs: readonly UnresolvedTensor[],
  outputs: readonly UnresolvedTensor[],
  overrides: BatchAxisOverrides,
): BatchDimension {
  const ofInputs = candidates(inputs, overrides);
  const ofOutputs = candidates(outputs, overrides);
  if (!ofInputs.some(({ size }) => size === null)) return { symbol: null, size: fixedSize(ofInputs, ofOutputs) };
  return { symbol: batchSymbol(ofInputs, ofOutputs), size: null };
}

/**
 * The name, unless an exporter made it up: tf2onnx numbers each dimension ("unk__7"), and PyTorch does so where it is given
 * axes without names ("input_dynamic_axes_1"). Such names differ from tensor to tensor and say nothing of the batch.
 */
export function meaningfulSymbol(symbol: string | null): string | null {
  return symbol === null || /^unk__\d+$|_dynamic_axes_\d+$/.test(symbol) ? null : symbol;
}

function candidates(tensors: readonly UnresolvedTensor[], overrides: BatchAxisOverrides): Candidate[] {
  return tensors.flatMap(({ name, dims, symbols }) => {
    const chosen = overriddenAxis(name, overrides);
    const size = chosen === null ? undefined : dims[chosen ?? 0];
    if (size === undefined) return [];
    const symbol = meaningfulSymbol(symbols[chosen ?? 0] ?? null);
    return [{ tensor: name, symbol, size, isChosen: chosen !== undefined }];
  });
}

function batchSymbol(ofInputs: readonly Candidate[], ofOutputs: readonly Candidate[]): string | null {
  const chosen = ofInputs.find(({ isChosen, symbol }) => isChosen && symbol !== null);
  if (chosen !== undefined) return chosen.symbol;
  const named = symbolsOf(ofInputs);
  const leadingOutputs = new Set(symbolsOf(ofOutputs));
  const shared = named.filter((symbol) => leadingOutputs.has(symbol));
  const possible = shared.length > 0 ? shared : named;
  if (possible.length > 1)
    throw ambiguous(ofInputs.filter(({ symbol }) => symbol !== null && possible.includes(symbol)));
  return possible[0] ?? null;
}

function symbolsOf(all: readonly Candidate[]): string[] {
  return [...new Set(all.map(({ symbol }) => symbol).filter((symbol) => symbol !== null))];
}

function ambiguous(rivals: readonly Candidate[]): FramebatchError {
  const described = rivals.map(({ symbol, tensor }) => `"${symbol}" (input "${tensor}")`);
  const axes = rivals.map(({ tensor }, index) => `"${tensor}": ${index === 0 ? "0" : "null"}`);
  return new FramebatchError(
    "INVALID_OPTION",
    `batchAxis: expected one dimension that can be the batch, got ${described.join(" and ")}; say which it is, for example { ${axes.join(", ")} }`,
  );
}

/** A size that only some outputs have is still the batch where it is 1: every output then belongs to the one row. */
function fixedSize(ofInputs: readonly Candidate[], ofOutputs: readonly Candidate[]): number | null {
  const chosen = ofInputs.find(({ isChosen }) => isChosen);
  if (chosen !== undefined) return chosen.size;
  const sizes = new Set(ofInputs.map(({ size }) => size));
  const shared = [...sizes].filter((size) => ofOutputs.every((output) => output.size === size));
  if (shared.length === 1) return shared[0] ?? null;
  return sizes.size === 1 && sizes.has(1) ? 1 : null;
}
