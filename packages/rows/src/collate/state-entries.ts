import { type StateTensor, stateDims } from "../model/recurrence.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { elementOf } from "../tensor/element-types.js";
import type { TensorData } from "../tensor/tensor.js";

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
