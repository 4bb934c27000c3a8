import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { PartError } from "./part.js";
import type { Ending, RunRecord } from "./run-record.js";
import { holds, PipelineViolation } from "./violation.js";

/** Timers and rounding may differ by this much, in milliseconds. */
const ROUNDING_MS = 1;

/**
 * P-3: a run is rejected only for a reason of its own. Returns the ending that the error stands for.
 * @param placeOf the index in the pipeline of each step
 * @throws PipelineViolation when the run has no such reason.
 */
export function explainRejection(
  run: RunRecord,
  error: unknown,
  placeOf: ReadonlyMap<number, number>,
  nowMs: number,
): Ending {
  if (error instanceof PipelineViolation) throw error;
  if (error === run.abortedWith && error !== null) return "aborted";
  if (!(error instanceof FramebatchError))
    throw new PipelineViolation("P-3", `run ${run.id} was rejected with ${String(error)}`);
  if (error.details["stage"] !== undefined) return explainFailure(run, error, placeOf);
  const { code, details } = error;
  if (code === "TIMED_OUT" && isDue(run, Number(details["timeoutMs"]), nowMs)) return "timedOut";
  if (code === "SUPERSEDED" && run.isSuperseded) return "superseded";
  if (code === "DISPOSED" && run.isDisposed) return "disposed";
  throw new PipelineViolation("P-3", `run ${run.id} was rejected with ${code}: ${error.message}`);
}

/** @param reportedMs the timeout of the run, as its error has it */
function isDue(
  { startedAtMs, facts: { timeoutMs = Infinity } }: RunRecord,
  reportedMs: number,
  nowMs: number,
): boolean {
  return nowMs >= startedAtMs + timeoutMs - ROUNDING_MS && Math.abs(reportedMs - timeoutMs) < 1e-6;
}

function explainFailure(run: RunRecord, error: FramebatchError, placeOf: ReadonlyMap<number, number>): Ending {
  const root = rootOf(error);
  if (root instanceof PartError) {
    const place = placeOf.get(root.step);
    holds(root.part.run === run.id, "P-3", () => `run ${run.id} failed for ${root.part.trail}`);
    holds(error.code === "STAGE_FAILED", "P-3", () => `an error of a function became ${error.code}`);
    holds(error.details["stage"] === place, "P-3", () => `step ${root.step} is at ${place}, not ${error.message}`);
    return "failed";
  }
  const mayBeFull = !run.facts.isLimited || "predictedMs" in error.details;
  holds(mayBeFull && error.code === "OVERLOADED", "P-3", () => `run ${run.id} failed: ${error.message}`);
  return "failed";
}

/** Returns the first error of a chain of causes. */
function rootOf(error: FramebatchError): unknown {
  let root: unknown = error;
  while (root instanceof FramebatchError && root.cause !== undefined) root = root.cause;
  return root;
}
