import { FramebatchError, placedError } from "@framebatch/batcher/errors/errors.js";
import type { StepInfo } from "./pipeline-stats.js";

/**
 * Returns the error of a run in which a step failed. Its `details` have the index and the name of the step, and its
 * `cause` is the original error, also if the step is a pipeline, which has placed it already. A `FramebatchError` keeps
 * its code and its other details; anything else that a function of the caller throws gets the code `STAGE_FAILED`.
 */
export function stepFailed(index: number, { name }: StepInfo, error: unknown): FramebatchError {
  const placed = placedError(error, name, { stage: index, stageName: name }, "STAGE_FAILED");
  if (!isPlaced(error)) return placed;
  return new FramebatchError(placed.code, placed.message, { cause: error.cause, details: placed.details });
}

/** Returns true for the error of a run. */
function isPlaced(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && "stageName" in error.details;
}

/** Returns true for the rejection of a request that its stage had no room for, or could not answer in time. */
export function isOverload(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && error.code === "OVERLOADED";
}

/** Returns true if an overload is a full queue, which empties by itself. */
export function isQueueFull({ details }: FramebatchError): boolean {
  return "maxQueueSize" in details;
}
