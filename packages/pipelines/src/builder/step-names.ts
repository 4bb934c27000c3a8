import type { StepInfo, StepKind } from "../runs/step-info.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { checkNames, isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import type { StepOptions } from "./pipeline.js";

/**
 * Returns the description of a step.
 * @param index the place of the step in the pipeline
 * @throws INVALID_OPTION when an option has a wrong name or value.
 */
export function describeStep(kind: StepKind, index: number, options: StepOptions): StepInfo {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, kind === "stage" ? ["name", "transfer", "sequence", "toItem", "toResult", "inputs"] : ["name"]);
  const { name = `${kind} ${index}` } = options;
  if (typeof name !== "string" || name === "")
    throw optionError("name", "a string of at least one character", name, `leave it out for "${kind} ${index}"`);
  return { kind, name };
}

/** Checks a function of the caller. @throws INVALID_OPTION when it is not a function. */
export function checkFunction(name: string, value: unknown, example: string): void {
  if (typeof value !== "function") throw optionError(name, "a function", value, `write ${example}`);
}
