import { FramebatchError, placedError } from "../errors.js";
import type { StepInfo } from "./step-info.js";

/**
 * Returns the error of a run in which a step failed. Its `details` have the index and the name of the step, and its
 * `cause` is the original error. A `FramebatchError` keeps its code and its other details; anything else that a function
 * of the caller throws gets the code `STAGE_FAILED`.
 */
export function stepFailed(index: number, { name }: StepInfo, error: unknown): FramebatchError {
  return placedError(error, name, { stage: index, stageName: name }, "STAGE_FAILED");
}

/** Returns true for the rejection of a request that its stage had no room for, or could not answer in time. */
export function isOverload(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && error.code === "OVERLOADED";
}

/** Returns true if an overload is a full queue, which empties by itself. */
export function isQueueFull({ details }: FramebatchError): boolean {
  return "maxQueueSize" in details;
}
