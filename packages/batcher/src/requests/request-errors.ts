import { FramebatchError } from "../errors/errors.js";

/** The error of a request that is rejected because the queue is full. */
export function queueFull(queued: number, maxQueueSize: number): FramebatchError {
  const message = `The queue is full: ${queued} requests wait, and maxQueueSize is ${maxQueueSize}. Ask again later, or raise maxQueueSize.`;
  return new FramebatchError("OVERLOADED", message, { details: { queued, maxQueueSize } });
}

/** The error of a request that is predicted to miss the latency objective. */
export function tooLate(predictedMs: number, maxLatencyMs: number): FramebatchError {
  const message = `A result is expected after ${predictedMs.toFixed(1)} ms, and maxLatencyMs is ${maxLatencyMs}. Ask again later, or raise maxLatencyMs.`;
  return new FramebatchError("OVERLOADED", message, { details: { predictedMs, maxLatencyMs } });
}

/** The error of a request whose `timeoutMs` has passed. */
export function timedOut(request: { readonly timeoutAtMs: number; readonly enqueuedAtMs: number }): FramebatchError {
  const timeoutMs = request.timeoutAtMs - request.enqueuedAtMs;
  const message = `No result within timeoutMs (${timeoutMs.toFixed(1)}). Allow more time, or ask for less at once.`;
  return new FramebatchError("TIMED_OUT", message, { details: { timeoutMs } });
}

/** The error of a request that a newer one with the same key superseded. */
export function superseded(key: string): FramebatchError {
  const message = `A newer request with the key "${key}" took the place of this one. Use another key to keep both.`;
  return new FramebatchError("SUPERSEDED", message, { details: { key } });
}

/** The error of a batch whose number of results differs from its number of items. */
export function wrongLength(expected: number, got: number): FramebatchError {
  const message = `A batch of ${expected} was answered with ${got} results. Return one result for each item, in order.`;
  return new FramebatchError("INFERENCE_FAILED", message, { details: { expected, got } });
}

/** The error of a request that is affected by an unexpected exception in the batcher or its configuration. */
export function brokenBy(cause: Error): FramebatchError {
  const message = `The batcher could not go on with this request (${cause.message}). See the cause; asking again may help.`;
  return new FramebatchError("INFERENCE_FAILED", message, { cause });
}
