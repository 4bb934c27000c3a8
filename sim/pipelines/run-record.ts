import type { Priority } from "@framebatch/batcher/queue/priority.js";
import type { Part } from "./part.js";

/** How a run ended, in the words of the statistics. An item of a stream that ended before its turn is dropped. */
export type Ending = "completed" | "failed" | "aborted" | "timedOut" | "superseded" | "disposed" | "dropped";

/** What a run is made with. */
export interface RunFacts {
  readonly isLimited: boolean;
  readonly key?: string;
  readonly priority?: Priority;
  readonly timeoutMs?: number;
}

/** What the witness knows about one run of the pipeline. */
export interface RunRecord {
  readonly id: number;
  readonly item: Part;
  readonly facts: RunFacts;
  /** When it was started or, in a stream, pulled. */
  readonly startedAtMs: number;
  /** The right result; `null` if a step fails for certain. */
  readonly expected: Part | null;
  /** The reason of its abort. */
  abortedWith: object | null;
  isSuperseded: boolean;
  isDisposed: boolean;
  /** Whether a step has been called for it. */
  hasEntered: boolean;
  /** Whether a step has failed for one of its parts. */
  hasFailed: boolean;
  /** The first event in which the run had ended, as far as the witness knows; `Infinity` while it is open. */
  endedInEvent: number;
  ending: Ending | null;
}
