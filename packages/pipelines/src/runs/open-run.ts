import type { Cancel, Timer } from "@framebatch/host/clock.js";
import { FramebatchError, placedError } from "@framebatch/batcher/errors/errors.js";
import type { Priority, Ticket } from "@framebatch/batcher/queue/request.js";
import { timedOut } from "@framebatch/batcher/requests/request-errors.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";
import type { RunEnding, StepInfo } from "./pipeline-stats.js";
import type { PartOptions } from "./stage.js";
import type { Step } from "./step.js";

/**
 * A stage's own limit is the time that the run has left, and may expire this much earlier because of rounding, in
 * milliseconds.
 */
const ROUNDING_MS = 1;

/** The time that the parts of a run spent in one step: from the first arrival to the last result. */
export interface StepSpan {
  startMs: number;
  endMs: number;
  parts: number;
}

/** What a run needs of its pipeline. */
export interface RunHome {
  readonly steps: readonly Step[];
  readonly timer: Timer;
  /** Called once for each run, when it has ended and before its parts are cancelled. */
  ended(run: OpenRun, ending: RunEnding): void;
}

/** What a run is started with. The caller may change the options afterwards. */
interface RunStart {
  readonly options: PartOptions;
  /** Place in the order of arrival. */
  readonly sequence: number;
  readonly reject: (error: unknown) => void;
}

/**
 * One item on its way through a pipeline, with all of its parts.
 *
 * Invariants:
 * - It ends once, and never inside the call that starts it. All of its open parts are then cancelled.
 * - `isOpen` turns false before any part is cancelled, so nothing that cancelling causes starts work for this run.
 */
export class OpenRun implements Ticket {
  readonly #home: RunHome;
  readonly #reject: RunStart["reject"];
  /** Parts in a stage, and items being split or collected. */
  readonly #work = new Set<Ticket>();
  readonly #spans = new Map<number, StepSpan>();
  readonly key: string | undefined;
  readonly sequence: number;
  /** The stream that the item belongs to; `undefined` for a single run. */
  readonly stream: PipelineStream | undefined;
  readonly startedAtMs: number;
  readonly #deadlineAtMs: number;
  readonly #cancelTimer: Cancel;
  #priority: Priority | undefined;
  isOpen = true;
  /** Whether the call that starts the run has not returned yet. */
  isEntering = true;

  constructor(home: RunHome, start: RunStart) {
    const { timeoutMs, priority, key, stream } = start.options;
    this.#home = home;
    this.#reject = start.reject;
    this.key = key;
    this.sequence = start.sequence;
    this.stream = stream;
    this.#priority = priority;
    this.startedAtMs = home.timer.now();
    this.#deadlineAtMs = timeoutMs === undefined ? Infinity : this.startedAtMs + timeoutMs;
    this.#cancelTimer =
      timeoutMs === undefined ? () => undefined : home.timer.schedule(this.#deadlineAtMs, () => this.expire());
  }

  /** Whether the parts of the run take slots, and wait while a stage is overloaded. */
  get isLimited(): boolean {
    return this.stream !== undefined;
  }

  /** The time that is left of `timeoutMs`; `Infinity` without one. */
  get remainingMs(): number {
    return this.#deadlineAtMs === Infinity ? Infinity : this.#deadlineAtMs - this.nowMs;
  }

  get nowMs(): number {
    return this.#home.timer.now();
  }

  /** The time of each step by its index, for steps that a part of this run has left. */
  get spans(): ReadonlyMap<number, Readonly<StepSpan>> {
    return this.#spans;
  }

  step(index: number): Step {
    return this.#home.steps[index]!;
  }

  /** The options of a request that one part makes. @param remainingMs the time that is left, above 0 */
  partOptions(remainingMs: number): PartOptions {
    return {
      ...(this.#priority !== undefined && { priority: this.#priority }),
      ...(remainingMs !== Infinity && { timeoutMs: remainingMs }),
      ...(this.stream !== undefined && { stream: this.stream }),
    };
  }

  add(work: Ticket): void {
    this.#work.add(work);
  }

  delete(work: Ticket): void {
    this.#work.delete(work);
  }

  /** Records that a part has left a step that it reached at `startMs`. */
  passed(index: number, startMs: number): void {
    const span = this.#spans.get(index);
    const endMs = this.nowMs;
    if (span === undefined) this.#spans.set(index, { startMs, endMs, parts: 1 });
    else Object.assign(span, { startMs: Math.min(span.startMs, startMs), endMs, parts: span.parts + 1 });
  }

  /** Completes the run. It stays open until then, so that an abort inside the call that starts it counts. */
  complete(deliver: () => void): void {
    if (this.isEntering) afterMicrotask(() => this.complete(deliver));
    else this.#end("completed", null, deliver);
  }

  /** Ends the run with the error of one step. */
  fail(index: number, error: unknown): void {
    if (error instanceof FramebatchError && error.code === "TIMED_OUT" && this.remainingMs <= ROUNDING_MS)
      return this.expire();
    this.end("failed", stepFailed(index, this.step(index).info, error));
  }

  expire(): void {
    this.end("timedOut", timedOut({ timeoutAtMs: this.#deadlineAtMs, enqueuedAtMs: this.startedAtMs }));
  }

  cancel(reason: unknown): void {
    this.end("aborted", reason);
  }

  setPriority(priority: Priority): void {
    this.#priority = priority;
    for (const work of this.#work) work.setPriority(priority);
  }

  /** Rejects the run with `reason`, which its parts are cancelled with too. */
  end(ending: Exclude<RunEnding, "completed">, reason: unknown): void {
    this.#end(ending, reason, () => this.#reject(reason));
  }

  #end(ending: RunEnding, reason: unknown, deliver: () => void): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#cancelTimer();
    this.#home.ended(this, ending);
    const work = [...this.#work];
    this.#work.clear();
    for (const ticket of work) ticket.cancel(reason);
    if (this.isEntering) afterMicrotask(deliver);
    else deliver();
  }
}

/**
 * Returns the error of a run in which a step failed. Its `details` have the index and the name of the step, and its
 * `cause` is the original error, also if the step is a pipeline, which has placed it already. A `FramebatchError` keeps
 * its code and its other details; anything else that a function of the caller throws gets the code `STAGE_FAILED`.
 */
function stepFailed(index: number, { name }: StepInfo, error: unknown): FramebatchError {
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

/** One stream through a pipeline. */
export class PipelineStream {
  /** Whether its items reach every stage in the order in which they came. */
  readonly isOrdered: boolean;
  readonly #whenEnded: (() => void)[] = [];

  constructor(isOrdered: boolean) {
    this.isOrdered = isOrdered;
  }

  /** Calls back when the stream has ended, for whatever reason. */
  whenEnded(callback: () => void): void {
    this.#whenEnded.push(callback);
  }

  end(): void {
    for (const tell of this.#whenEnded.splice(0)) tell();
  }
}
