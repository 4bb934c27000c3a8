import { type ExecutionProvider, traitsOf } from "../../core/providers.js";
import type { PendingRun } from "./pending-runs.js";
import { FramebatchError } from "../../core/errors.js";

/** A second loss of the GPU within so long, in milliseconds, means that it is better left alone. */
const GPU_TRUST_MS = 120_000;

/**
 * Deaths in a row, with no run that worked in between, after which it is not worth trying: two items that each end two
 * workers, and no more. Finding one such item in a batch of n takes ceil(log2 n) more.
 */
const MAX_DEATHS = 4;

/** A worker that dies with nothing to do, in milliseconds after the last death, begins a new row: a laptop sleeps every night. */
const CRASH_STREAK_RESET_MS = 120_000;

/** What to do about a death. */
export interface CrashVerdict {
  /** Whether a further worker would only die as well. */
  readonly shouldGiveUp: boolean;
  /** Whether WebGPU, where it was on WebGPU, is to be given up. */
  readonly shouldAvoidGpu: boolean;
}

/** Remembers how the workers of a model died. */
export class CrashHistory {
  #inARow = 0;
  /** Items in the largest run that ended a worker of the row. */
  #largestRun = 1;
  #lastAtMs = -Infinity;
  #lostGpuAtMs = -Infinity;

  /** A run has worked. */
  survived(): void {
    this.#inARow = 0;
    this.#largestRun = 1;
  }

  /** @param run what the worker was at */
  died(run: PendingRun | null, provider: ExecutionProvider, nowMs: number): CrashVerdict {
    if (run === null && nowMs - this.#lastAtMs > CRASH_STREAK_RESET_MS) this.survived();
    this.#inARow += 1;
    this.#largestRun = Math.max(this.#largestRun, run?.size ?? 1);
    this.#lastAtMs = nowMs;
    const shouldAvoidGpu = nowMs - this.#lostGpuAtMs <= GPU_TRUST_MS;
    if (traitsOf(provider).usesGpu) this.#lostGpuAtMs = nowMs;
    const shouldGiveUp = this.#inARow > MAX_DEATHS + Math.ceil(Math.log2(this.#largestRun));
    return { shouldGiveUp, shouldAvoidGpu };
  }

  forget(): void {
    this.survived();
    this.#lastAtMs = -Infinity;
    this.#lostGpuAtMs = -Infinity;
  }
}

/** The worker has broken down, or is gone. */
export function crash(what: string, cause?: unknown): FramebatchError {
  return new FramebatchError("WORKER_CRASHED", `the worker stopped working: ${what}`, { cause });
}

/** The worker has said nothing for as long as its run may take. */
export function hung(timeoutMs: number): FramebatchError {
  return new FramebatchError(
    "WORKER_HUNG",
    `expected an answer from the worker, got none for ${Math.round(timeoutMs)} ms; where a run may take longer, raise runTimeoutMs`,
    { details: { patienceMs: timeoutMs } },
  );
}

/** What the worker itself says that it dies of. */
export function asDeath(error: Error): FramebatchError {
  return error instanceof FramebatchError ? error : crash(error.message, error);
}

/** The worker has said nothing for as long as a step of its start may take. */
export function neverStarted(timeoutMs: number): FramebatchError {
  return new FramebatchError(
    "RUNTIME_LOAD_FAILED",
    `expected ONNX Runtime to load and to start the model, got no sign of life for ${timeoutMs} ms; ` +
      "check that its .wasm files are served, and raise runTimeoutMs for a model that takes longer",
    { details: { timeoutMs } },
  );
}
