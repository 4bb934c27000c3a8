import type { TensorInfo } from "../tensor/tensor.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims } from "@framebatch/batcher/errors/description.js";
import { unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { StatesByInput } from "./recurrence.js";

/**
 * The description of an input or output by ONNX Runtime. A value that is not a tensor (a sequence, a map) has no
 * `type`.
 */
export interface TensorMetadata {
  readonly name: string;
  readonly type?: string;
  /**
   * A named dynamic size is a string. An unnamed one is 4294967295 or negative. A scalar and an unknown rank are both
   * `[]`.
   */
  readonly shape?: readonly (string | number)[];
  /** The operator that computes an output; empty if the file does not tell. @default it is no output of a file */
  readonly operator?: string | undefined;
}

/** The inputs and outputs of a model, as plain data that can cross threads. */
export interface ModelSignature {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /**
   * The batch size that is fixed in the model, or `null` if any size is accepted. A model with a fixed size N > 1
   * always gets N rows. A model with a fixed size of 1 gets one row, and its outputs without a batch axis belong to
   * that row; likewise its inputs, if none has a batch axis.
   */
  readonly fixedBatch: number | null;
}

/** Returns the outputs that a run computes. */
export function outputNames({ outputs }: ModelSignature): string[] {
  return outputs.map(({ name }) => name);
}

/** The `batchAxis` option: the batch axis by tensor name, `null` for a tensor that the whole batch shares. */
export type BatchAxisOverrides = Readonly<Record<string, number | null>>;

/** A tensor whose batch axis is not determined yet. */
export type UnresolvedTensor = Omit<TensorInfo, "batchAxis">;

/** Returns the axis that the user set, or `undefined` if none is set. */
export function overriddenAxis(name: string, overrides: BatchAxisOverrides): number | null | undefined {
  return Object.hasOwn(overrides, name) ? overrides[name] : undefined;
}

/** Whether some input has a batch axis. */
export function hasBatch(inputs: readonly Pick<TensorInfo, "batchAxis">[]): boolean {
  return inputs.some(({ batchAxis }) => batchAxis !== null);
}

/**
 * Checks that requests for the first file of a model can be answered by another one.
 * @param expected `null` if there was no other file yet
 * @throws UNSUPPORTED when an input or output differs in name, type or size
 */
export function checkSameSignature(expected: ModelSignature | null, got: ModelSignature): void {
  if (expected === null) return;
  const [wanted, found] = [describe(expected), describe(got)];
  const isBatched = got.fixedBatch === null || got.fixedBatch === 1 || got.fixedBatch === expected.fixedBatch;
  const index = isBatched ? wanted.findIndex((tensor, at) => tensor !== found[at]) : 0;
  if (isBatched && index < 0 && wanted.length === found.length) return;
  const batch = isBatched ? "" : ` in batches of ${got.fixedBatch}`;
  throw new FramebatchError(
    "UNSUPPORTED",
    `expected the inputs and outputs of the other provider's file, with ${wanted[index] ?? "no other"}, got ${found[index] ?? found.at(-1) ?? "none"}${batch}; export both files with the same names, types and sizes`,
  );
}

function describe({ inputs, outputs }: ModelSignature): string[] {
  return [...sorted("input", inputs), ...sorted("output", outputs)];
}

/** Sizes are those of an item. Their names do not matter. */
function sorted(kind: string, tensors: readonly TensorInfo[]): string[] {
  return tensors
    .map(({ name, type, dims, batchAxis, isFolded }) => {
      const sizes = describeDims(isFolded === true ? dims : dims.filter((_, axis) => axis !== batchAxis));
      return `${kind} "${name}" of ${type} ${sizes}`;
    })
    .toSorted();
}

/**
 * Returns the outputs that a model computes for its callers: those of the option `outputs` and its states, in the
 * model's order.
 * @param wanted the option; `undefined` for all outputs
 * @throws INVALID_OPTION when a name does not exist, or all are of states, which callers do not get
 */
export function wantedOutputs(
  outputs: readonly TensorMetadata[],
  wanted: readonly string[] | undefined,
  recurrent: StatesByInput = {},
): readonly TensorMetadata[] {
  if (wanted === undefined) return outputs;
  const names = outputs.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownNameError("outputs", "an output of the model", unknown, names);
  const states = Object.values(recurrent);
  if (wanted.every((name) => states.includes(name))) {
    throw new FramebatchError(
      "INVALID_OPTION",
      `outputs: expected an output that is not in recurrent, got ${JSON.stringify(wanted[0])}; name another one, or take the states from snapshot()`,
    );
  }
  const all = [...wanted, ...states];
  return outputs.filter(({ name }) => all.includes(name));
}
