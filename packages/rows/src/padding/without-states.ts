import type { StateTensor } from "../model/recurrence.js";
import type { PaddingPlan } from "./plan.js";

/** The padding of what items have. States have no size that padding could change. */
export function paddingWithoutStates(padding: PaddingPlan, states: readonly StateTensor[]): PaddingPlan {
  if (states.length === 0) return padding;
  return { ...padding, inputs: padding.inputs.filter((_, index) => states.every((state) => state.index !== index)) };
}
