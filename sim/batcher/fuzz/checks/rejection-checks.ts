import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { ENGINE_ERROR, POISON_ERROR } from "../engine-error.js";
import { COPY_FAULT, FAULT } from "../faults.js";
import type { FuzzRequest } from "../fuzz-request.js";
import type { Scenario } from "../scenario.js";
import { hold, Violation } from "./violation.js";

/** How a request ended, as the statistics must count it. A "gone" request arrived after dispose and is not counted. */
export type Ending = "completed" | "failed" | "aborted" | "timedOut" | "superseded" | "refused" | "disposed" | "gone";

/** The witness's record about a rejected request. */
export interface Evidence {
  readonly nowMs: number;
  readonly isDisposed: boolean;
  /** Whether the engine failed the request, or a row with the same content. */
  readonly hasFailed: boolean;
  readonly options: Scenario["batcher"];
}

/**
 * I-7: a request is rejected only for a valid reason. Returns the ending that the error stands for.
 *
 * @throws Violation when the request has no such reason.
 */
export function explain(request: FuzzRequest, error: unknown, evidence: Evidence): Ending {
  // A check that the batcher called threw this error, and the batcher treated it as a fault of a sink or of the engine.
  if (error instanceof Violation) throw error;
  if (error === request) return explainAbort(request);
  if (error === POISON_ERROR) return explainPoison(request);
  if (error === ENGINE_ERROR) return explainFailure(request, evidence);
  if (error === COPY_FAULT || (error instanceof FramebatchError && error.cause === FAULT)) return "failed";
  // A function that the batcher calls before it accepts the request threw this error.
  if (error === FAULT) return "gone";
  if (!(error instanceof FramebatchError))
    throw new Violation("I-7", `request ${request.id} was rejected with ${String(error)}`);
  switch (error.code) {
    case "INFERENCE_FAILED":
      return explainFailure(request, evidence);
    case "TIMED_OUT":
      return explainTimeout(request, evidence);
    case "SUPERSEDED":
      return explainSuperseded(request);
    case "OVERLOADED":
      return explainRefusal(request, evidence);
    case "DISPOSED":
      return explainDisposal(request, evidence);
    default:
      throw new Violation("I-7", `request ${request.id} was rejected with ${error.code}`);
  }
}

function explainAbort(request: FuzzRequest): Ending {
  hold(request.wasAborted, "I-7", () => `request ${request.id} was aborted by nobody`);
  return "aborted";
}

function explainFailure(request: FuzzRequest, { hasFailed }: Evidence): Ending {
  const isGuilty = hasFailed && request.state === "sent";
  hold(isGuilty, "I-7", () => `request ${request.id} failed, though the engine did not fail it`);
  return "failed";
}

/** A run that an item poisons may be the only proof against it: it need not have run alone. */
function explainPoison(request: FuzzRequest): Ending {
  const isGuilty = request.isPoison && request.state === "sent";
  hold(isGuilty, "I-7", () => `request ${request.id} failed with the error of another`);
  return "failed";
}

function explainTimeout(request: FuzzRequest, { nowMs }: Evidence): Ending {
  hold(nowMs >= request.timeoutAtMs, "I-7", () => `request ${request.id} timed out too early`);
  return "timedOut";
}

function explainSuperseded(request: FuzzRequest): Ending {
  const isReplaced = request.successor !== "none" && request.state === "waiting";
  hold(isReplaced, "I-7", () => `request ${request.id} was superseded by nobody`);
  return "superseded";
}

function explainRefusal(request: FuzzRequest, { options, nowMs }: Evidence): Ending {
  const isPossible = request.isExpectedOut ?? true;
  hold(isPossible, "I-5", () => `request ${request.id} was refused, though there was room`);
  const isTurnedAway = request.isExpectedOut === null && request.enqueuedAtMs === nowMs;
  hold(
    isTurnedAway || request.state === "waiting",
    "I-12",
    () => `request ${request.id} was refused after it had left`,
  );
  const hasLimit = options.maxQueueSize !== undefined || options.maxLatencyMs !== undefined;
  hold(hasLimit, "I-5", () => `request ${request.id} was refused without a limit`);
  return "refused";
}

function explainDisposal(request: FuzzRequest, { isDisposed }: Evidence): Ending {
  hold(isDisposed, "I-7", () => `request ${request.id} was told of a disposal that was not`);
  return request.isAfterDispose ? "gone" : "disposed";
}
