import { BACKGROUND, type CompletedBatch, type Sink, type Ticket } from "@framebatch/batcher/queue/request.js";
import type { ItemShape } from "@framebatch/batcher/queue/shape.js";
import { SINK_FAULT } from "./faults.js";
import type { Suspects } from "./checks/suspects.js";
import type { Witness } from "./checks/witness.js";

/** Returns the correct result for a content. */
export function oracle(content: number): number {
  return 2 * content + 1;
}

/** The fields that define a request. */
export interface FuzzRequestFields {
  readonly id: number;
  readonly content: number;
  readonly shape: ItemShape;
  readonly isPoison: boolean;
  readonly key: string | undefined;
  readonly enqueuedAtMs: number;
  readonly timeoutAtMs: number;
  readonly rank: number;
}

/** A random request: the item, a sink that reports to the witness, and the witness's record of it. */
export class FuzzRequest implements Sink<number> {
  readonly id: number;
  readonly content: number;
  readonly shape: ItemShape;
  readonly isPoison: boolean;
  readonly key: string | undefined;
  readonly enqueuedAtMs: number;
  readonly timeoutAtMs: number;
  rank: number;
  /**
   * Its place in the order of arrival, and the start of its wait: its own, or those of the request that it replaced.
   */
  place: number;
  waitingSinceMs: number;
  ticket: Ticket | null = null;
  /** Queued, dispatched to the engine, or settled. */
  state: "waiting" | "sent" | "settled" = "waiting";
  wasAborted = false;
  /** Whether the queue was full on arrival; `null` if the witness cannot know. */
  isExpectedOut: boolean | null = null;
  isAfterDispose = false;
  /** Whether a newer request with the same key arrived, and whether it was accepted. */
  successor: "none" | "accepted" | "unknown" = "none";
  /** Whether the engine failed the request alone, or ended the search in which it was a suspect. */
  mayFail = false;
  hasSucceeded = false;
  suspects: Suspects | null = null;
  /** Whether the latency objective counts for it. */
  readonly isLimited: boolean;
  readonly #witness: Witness;

  constructor(witness: Witness, fields: FuzzRequestFields) {
    this.#witness = witness;
    this.id = fields.id;
    this.content = fields.content;
    this.shape = fields.shape;
    this.isPoison = fields.isPoison;
    this.key = fields.key;
    this.enqueuedAtMs = fields.enqueuedAtMs;
    this.timeoutAtMs = fields.timeoutAtMs;
    this.rank = fields.rank;
    this.isLimited = fields.rank < BACKGROUND;
    this.place = fields.id;
    this.waitingSinceMs = fields.enqueuedAtMs;
  }

  resolve(result: number, batch: CompletedBatch | null): void {
    this.#witness.resolved(this, result, batch);
    this.#witness.faults.maybe(SINK_FAULT);
  }

  reject(error: unknown): void {
    // The batcher rejects a request whose sink throws with the error that the sink threw.
    if (error === SINK_FAULT) return;
    this.#witness.rejected(this, error);
    this.#witness.faults.maybe(SINK_FAULT);
  }
}
