import { invalidOption, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { TensorData, TensorInfo } from "../tensor/tensor.js";
import type { ModelSignature } from "./signature.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { elementOf } from "../tensor/element-types.js";

/** The `recurrent` option: for each input that holds state, the output that is its next value. */
export type StatesByInput = Readonly<Record<string, string>>;

/** A state of a model. */
export interface StateTensor {
  readonly input: TensorInfo;
  /** The position of the input in the signature. */
  readonly index: number;
  readonly output: TensorInfo;
}

/**
 * Returns the states of a model, in the order of its inputs.
 * @throws INVALID_OPTION when a name does not exist, or an output cannot be the next value of its input
 */
export function planStates({ inputs, outputs }: ModelSignature, recurrent: StatesByInput = {}): StateTensor[] {
  const names = { inputs: inputs.map(({ name }) => name), outputs: outputs.map(({ name }) => name) };
  const fed = new Map<string, string>();
  for (const [input, output] of Object.entries(recurrent)) {
    const option = optionFor(input);
    if (!names.inputs.includes(input)) throw unknownNameError(option, "an input of the model", input, names.inputs);
    if (!names.outputs.includes(output))
      throw unknownNameError(option, "an output of the model", output, names.outputs);
    const other = fed.get(output);
    if (other !== undefined) {
      const got = `"${output}", which feeds "${other}" already; name the output of each state`;
      throw invalidOption(option, `an output for this state alone, got ${got}`);
    }
    fed.set(output, input);
  }
  if (fed.size > 0 && fed.size === inputs.length) {
    throw invalidOption(
      "recurrent",
      "at least one input that items have, got states alone; leave out what is no state",
    );
  }
  return inputs.flatMap((input, index) => {
    const output = outputs.find(({ name }) => fed.get(name) === input.name);
    if (output === undefined) return [];
    checkPair(input, output);
    return [{ input, index, output }];
  });
}

/** Sizes of a row's own state, without the batch axis. */
export function stateDims({ dims, batchAxis }: TensorInfo): readonly (number | null)[] {
  return dims.filter((_, axis) => axis !== batchAxis);
}

function checkPair(input: TensorInfo, output: TensorInfo): void {
  const option = optionFor(input.name);
  for (const { name, batchAxis, dims, isFolded } of [input, output]) {
    if (batchAxis !== null && isFolded !== true) continue;
    const fix = `write batchAxis: { "${name}": 1 } with the axis that counts the rows`;
    throw invalidOption(option, `"${name}" with a batch axis, got dims ${shown(dims)} without one; ${fix}`);
  }
  if (input.type === "string") {
    throw invalidOption(option, "a state of numbers, got one of strings; leave it out");
  }
  if (input.type !== output.type) {
    const fix = "name the output that is the next value of this input";
    throw invalidOption(option, `an output of type ${input.type}, got "${output.name}" of type ${output.type}; ${fix}`);
  }
  if (stateDims(input).includes(null)) {
    const fix = "export the model with a state of fixed size";
    throw invalidOption(option, `a state of fixed size beside its batch axis, got dims ${shown(input.dims)}; ${fix}`);
  }
  const [from, to] = [stateDims(input), stateDims(output)];
  const fits = from.length === to.length && to.every((size, axis) => size === null || size === from[axis]);
  if (fits) return;
  const fix = "name the output of the same size, or say which axis is the batch in batchAxis";
  throw invalidOption(
    option,
    `an output with dims ${shown(from)} for a row, got "${output.name}" with ${shown(to)}; ${fix}`,
  );
}

function optionFor(input: string): string {
  return `recurrent["${input}"]`;
}

function shown(dims: readonly (number | null)[]): string {
  return `[${dims.map((size) => size ?? "?").join(", ")}]`;
}

/** A model and its states. */
interface StatefulSignature {
  readonly signature: ModelSignature;
  readonly states: readonly StateTensor[];
}

/** What items and answers have of a model: everything but its states. */
export function withoutStates({ signature, states }: StatefulSignature): ModelSignature {
  if (states.length === 0) return signature;
  return {
    ...signature,
    inputs: signature.inputs.filter((input) => states.every((state) => state.input !== input)),
    outputs: signature.outputs.filter((output) => states.every((state) => state.output !== output)),
  };
}

/** Returns the initial state of a row: zeros. */
export function zeroStates(states: readonly Pick<StateTensor, "input">[]): TensorData[] {
  return states.map(({ input }) => elementOf(input.type).create(volumeOf(stateDims(input).map(Number))));
}

/** Returns the entries of all inputs: those of items, with those of the states put in their places. */
export function withStateEntries<Entry>(
  ofItems: readonly Entry[],
  states: readonly Pick<StateTensor, "index">[],
  ofStates: readonly Entry[],
): Entry[] {
  const entries = [...ofItems];
  for (const [position, { index }] of states.entries()) entries.splice(index, 0, ofStates[position]!);
  return entries;
}
