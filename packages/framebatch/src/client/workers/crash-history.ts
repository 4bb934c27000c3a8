import { type ExecutionProvider, traitsOf } from "../../transport/providers.js";
import type { PendingRun } from "./pending-runs.js";
import { errorTraits } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/**
 * A crash within this time after a crash on a provider that uses the GPU, in milliseconds, makes the model avoid the
 * GPU.
 */
const GPU_TRUST_MS = 120_000;

/**
 * Maximum number of crashes with no answered run in between, before the model fails: enough for two batches in flight
 * that each hold an item which ends workers, two in the whole batch and two alone. Those in between do not count,
 * because a search takes a limited number of runs.
 */
const MAX_CRASHES = 8;

/**
 * Time after which the crash of an idle worker no longer counts as consecutive, in milliseconds. Idle workers can die
 * regularly, for example each time a laptop sleeps.
 */
const CRASH_STREAK_RESET_MS = 120_000;

/**
 * Maximum number of consecutive loads in which the new worker falls silent, before the model fails. Most are workers
 * that ended without a word, but requests wait for more than a minute each time.
 */
const MAX_SILENT_LOADS = 2;

/** What to do after a crash. */
export interface CrashVerdict {
  /** Whether to start no further worker, because it would crash too. */
  readonly shouldGiveUp: boolean;
  /** Whether the next worker should avoid providers that use the GPU. */
  readonly shouldAvoidGpu: boolean;
}

export const NOT_COUNTED: CrashVerdict = { shouldGiveUp: false, shouldAvoidGpu: false };

/**
 * Returns the number of workers that a run may end before it fails: 2, because something else may have ended the first
 * worker. A search step with several items may end only 1.
 */
export function maxCrashes({ isDivided }: PendingRun): number {
  return isDivided ? 1 : 2;
}

/** Records the crashes of one worker slot and decides how to recover. */
export class CrashHistory {
  /** Whether nothing has crashed since the last answer. */
  isClear = true;
  #inARow = 0;
  #silentInARow = 0;
  #lastAtMs = -Infinity;
  #lostGpuAtMs = -Infinity;

  /** Resets the count: a worker has answered a run. */
  recordAnswer(): void {
    this.isClear = true;
    this.#inARow = 0;
    this.#silentInARow = 0;
  }

  /**
   * Records a crash.
   * @param run the run that the worker was executing; `null` if there was none
   * @param nowMs current time, in milliseconds on a monotonic clock
   */
  recordCrash(run: PendingRun | null, provider: ExecutionProvider, nowMs: number): CrashVerdict {
    if (run === null && nowMs - this.#lastAtMs > CRASH_STREAK_RESET_MS) this.recordAnswer();
    return this.#count(run, provider, nowMs);
  }

  #count(run: PendingRun | null, provider: ExecutionProvider, nowMs: number): CrashVerdict {
    this.isClear = false;
    if (!run?.isDivided) this.#inARow += 1;
    this.#lastAtMs = nowMs;
    const shouldAvoidGpu = nowMs - this.#lostGpuAtMs <= GPU_TRUST_MS;
    if (traitsOf(provider).usesGpu) this.#lostGpuAtMs = nowMs;
    return { shouldGiveUp: this.#inARow > MAX_CRASHES, shouldAvoidGpu };
  }

  /**
   * Records the end of a worker that loaded the model again. Returns whether to start no further worker.
   * @param error what the load failed with
   * @param provider the last one that it would have tried
   */
  recordLoss(error: FramebatchError, provider: ExecutionProvider, nowMs: number): boolean {
    if (isSilence(error)) this.#silentInARow += 1;
    return this.#count(null, provider, nowMs).shouldGiveUp || this.#silentInARow > MAX_SILENT_LOADS;
  }

  /** Clears everything, for a restart that the user requests. */
  forget(): void {
    this.recordAnswer();
    this.#lastAtMs = -Infinity;
    this.#lostGpuAtMs = -Infinity;
  }
}

/** Returns the error for a worker that has failed or ended. */
export function crash(what: string, cause?: unknown): FramebatchError {
  return new FramebatchError("WORKER_CRASHED", `the worker stopped working: ${what}`, { cause });
}

/** Returns the error for a worker that sent nothing for as long as its run may take. */
export function hung(timeoutMs: number): FramebatchError {
  return new FramebatchError(
    "WORKER_HUNG",
    `expected an answer from the worker, got none for ${Math.round(timeoutMs)} ms; where a run may take longer, raise runTimeoutMs`,
    { details: { patienceMs: timeoutMs } },
  );
}

/** Returns the error for a failure that the worker itself reported. */
export function asCrash(error: Error): FramebatchError {
  return error instanceof FramebatchError ? error : crash(error.message, error);
}

/** Returns the error for a worker that sent nothing for as long as a step of its start may take. */
export function neverStarted(timeoutMs: number): FramebatchError {
  return new FramebatchError(
    "RUNTIME_LOAD_FAILED",
    `expected ONNX Runtime to load and to start the model, got no sign of life for ${timeoutMs} ms; ` +
      "check that its .wasm files are served, and raise runTimeoutMs for a model that takes longer",
    { details: { timeoutMs } },
  );
}

/** Returns the error for a worker whose own engine has blocked its thread while it loaded or ran its samples. */
export function neverLoaded(timeoutMs: number): FramebatchError {
  return new FramebatchError(
    "WORKER_HUNG",
    `expected the worker to load its engine, got no sign of life for ${Math.round(timeoutMs)} ms; ` +
      "let load return to the event loop while it waits, and raise runTimeoutMs for an engine that computes longer",
    { details: { timeoutMs } },
  );
}

/** Whether the error is one of `neverStarted` or `neverLoaded`. */
function isSilence({ code, details }: FramebatchError): boolean {
  return (code === "RUNTIME_LOAD_FAILED" || code === "WORKER_HUNG") && "timeoutMs" in details;
}

/**
 * Whether a load failed because its worker ended or fell silent, before or after its script had started, or because a
 * run of the load broke down. What says that a provider does not work may have that as its cause.
 */
export function isDeathInLoad(error: unknown): error is FramebatchError {
  if (!(error instanceof FramebatchError)) return false;
  const isDeath = error.code === "WORKER_LOAD_FAILED" || errorTraits(error.code).scope === "worker" || isSilence(error);
  return isDeath || isDeathInLoad(error.cause);
}

/**
 * Returns the error of a slot that could not recover.
 * @param loss what ended the last worker; `null` for a restart that the user requested
 * @param error why no other worker could be loaded; `null` if none was tried
 */
export function recoveryFailure(loss: FramebatchError | null, error: unknown): FramebatchError {
  if (loss === null && error instanceof FramebatchError) return error;
  const isChanged = error instanceof FramebatchError && error.code === "MODEL_INTEGRITY";
  const { code, details } = isChanged ? error : (loss ?? { code: "WORKER_CRASHED", details: {} });
  const message = loss?.message ?? "the worker was ended as asked";
  const reason = error instanceof Error ? error.message : "no reason given";
  const why = error === null ? "so did those before it" : `it could not be loaded again: ${reason}`;
  return new FramebatchError(code, `${message}; ${why}`, { cause: error ?? loss, details });
}
