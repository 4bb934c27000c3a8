import type { ErrorData } from "@framebatch/batcher/errors/error-data.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { SentStep, StateData } from "../sequences/sequence-messages.js";

/** What the page and its worker send to each other for items of the user. This module contains no code. */

/** Items for what the module of the worker serves. They stay in the worker unless the reply is `ok`. */
export interface ItemsRequest {
  readonly items: readonly HandledItem[];
  /** See `Batch`. */
  readonly isAlone: boolean;
  /**
   * Whether the worker does nothing else from the first handler of the run to the last. What ends the worker meanwhile
   * is in this run, also what follows an `await` in a handler. Not for an engine, whose runs have the worker to
   * themselves.
   */
  readonly isExclusive: boolean;
  /** See `RowsRequest`. @default 0 */
  readonly timeoutMs?: number;
  /** See `RowsRequest`. @default no item has one */
  readonly steps?: readonly (SentStep | null)[];
}

/** An item for `preprocess`, as the user gave it. */
export interface HandledItem {
  /** Unique among the items of a model. */
  readonly id: number;
  /** `null` if the worker already has the item. What can be transferred may be transferred. */
  readonly content: HandledContent | null;
}

/** An item, and what an earlier worker has done with it. */
export interface HandledContent {
  readonly value: unknown;
  /**
   * The tensors that `preprocess` has made in an earlier worker. It may have closed bitmaps, so it does not run again.
   */
  readonly row?: PreparedItem;
}

/** The reply to an `ItemsRequest`. */
export interface ItemsAnswer {
  readonly ok: true;
  /** The outcome of each item, in the order of the items. */
  readonly outcomes: readonly HandledOutcome[];
  readonly inferenceMs: number;
  /** Number of rows for the items that have tensors, padding included. */
  readonly rows: number;
  /** Mean volume of the rows that ran, as in `TimedRun`; 0 if none ran. */
  readonly volume: number;
  /** See `RowsAnswer`. A step whose outcome is an error has no state after it. */
  readonly states?: readonly (StateData | null)[];
}

/** What `postprocess` returned for an item, or why the item failed. */
export type HandledOutcome = { readonly value: unknown } | { readonly error: ErrorData };
