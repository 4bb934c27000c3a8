import type { ItemShape } from "../../src/core/shape.js";
import type { CompletedBatch, Sink, Ticket } from "../../src/core/queue/request.js";
import { SINK_FAULT } from "./faults.js";
import type { Suspects } from "./suspects.js";
import type { Witness } from "./witness.js";

/** What an engine must answer for a content. */
export function oracle(content: number): number {
  return 2 * content + 1;
}

/** What a request is made of. */
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

/** A random request: the item, a sink that reports to the witness, and what the witness knows of it. */
export class FuzzRequest implements Sink<number> {
  readonly id: number;
  readonly content: number;
  readonly shape: ItemShape;
  readonly isPoison: boolean;
  readonly key: string | undefined;
  readonly enqueuedAtMs: number;
  readonly timeoutAtMs: number;
  rank: number;
  /** Where it stands in the order of arrival, and since when: of its own, or of the request whose place it took. */
  place: number;
  waitingSinceMs: number;
  ticket: Ticket | null = null;
  /** Waits, is with the engine, or has settled. */
  state: "waiting" | "sent" | "settled" = "waiting";
  wasAborted = false;
  /** Whether it found the queue full; `null` where that cannot be known. */
  isExpectedOut: boolean | null = null;
  isAfterDispose = false;
  /** A newer request with its key has come; whether that one was let in. */
  successor: "none" | "accepted" | "unknown" = "none";
  /** The engine has failed it alone, or ended the search that it is a suspect of. */
  mayFail = false;
  hasSucceeded = false;
  suspects: Suspects | null = null;
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
    this.place = fields.id;
    this.waitingSinceMs = fields.enqueuedAtMs;
  }

  resolve(result: number, batch: CompletedBatch | null): void {
    this.#witness.resolved(this, result, batch);
    this.#witness.faults.maybe(SINK_FAULT);
  }

  reject(error: unknown): void {
    // A sink that throws is told so.
    if (error === SINK_FAULT) return;
    this.#witness.rejected(this, error);
    this.#witness.faults.maybe(SINK_FAULT);
  }
}
