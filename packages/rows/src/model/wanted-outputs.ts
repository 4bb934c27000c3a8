import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { StatesByInput } from "./recurrence.js";
import type { TensorMetadata } from "./signature.js";

/**
 * Returns the outputs that a model computes for its callers: those of the option `outputs` and its states, in the model's
 * order.
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
