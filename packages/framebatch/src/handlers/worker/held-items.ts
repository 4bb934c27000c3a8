import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { HandledItem } from "../handler-messages.js";
import { closeAll } from "../object-graph.js";
import { nextTask } from "../../worker/ort/next-task.js";
import type { HeldState } from "../../sequences/worker/sequence-states.js";

/** Maximum number of items that are preprocessed at a time before a batch needs them. */
const MAX_AHEAD = 4;

/**
 * Time after which messages are handled again, in milliseconds. A task of its own for each item would cost more: a
 * browser copies a canvas at the end of each task that draws on it.
 */
const SLICE_MS = 2;

/** The row of an item, what `preprocess` passes on to `postprocess`, and what it remembers; `undefined` if nothing. */
export interface HeldRow extends PreparedItem {
  readonly passed?: unknown;
  readonly memory?: unknown;
}

/**
 * Turns an item into its row, or into its error. Never rejects.
 * @param state from which the item starts. @default the initial one
 */
export type Preprocess = (value: unknown, signal: AbortSignal, state?: HeldState) => Promise<HeldRow | FramebatchError>;

/** An item that the worker holds until it is answered or withdrawn. */
export interface HeldItem {
  readonly id: number;
  readonly value: unknown;
  readonly withdrawal: AbortController;
  /**
   * Whether it came before its batch, and may be preprocessed before it. An item that comes with its batch waits for
   * the turn of that: the state before a step is known only then, and an exclusive batch is alone in all that it does.
   */
  readonly isEarly: boolean;
  /** `null` until preprocessing begins, and for an item of an engine. */
  row: Promise<HeldRow | FramebatchError> | null;
  /** Whether a batch with the item runs. It is released after that. */
  isRunning: boolean;
  /** Called when the batch has ended, if the item is then given back; otherwise `null`. */
  onIdle: (() => void) | null;
}

/**
 * The items in this worker. Preprocesses them in the order of arrival, in short tasks, so that messages are handled in
 * between. The items of a batch that runs come first.
 */
export class HeldItems {
  readonly #preprocess: Preprocess | null;
  readonly #items = new Map<number, HeldItem>();
  #preparing = 0;
  #isWorkingAhead = false;

  /** @param preprocess `null` for items of an engine, which get no rows */
  constructor(preprocess: Preprocess | null) {
    this.#preprocess = preprocess;
  }

  /** Takes items that later batches will contain. */
  deliver(items: readonly HandledItem[]): void {
    for (const item of items) this.#hold(item, true);
    if (this.#preprocess !== null && !this.#isWorkingAhead) void this.#workAhead();
  }

  /** Returns the items of a batch. Those that were not delivered before come with it. */
  take(items: readonly HandledItem[]): HeldItem[] {
    const taken = items.map((item) => this.#items.get(item.id) ?? this.#hold(item, false));
    for (const item of taken) item.isRunning = true;
    return taken;
  }

  /** Returns the row of an item, which is preprocessed at most once; `null` for an item of an engine. */
  rowOf(item: HeldItem, state?: HeldState): Promise<HeldRow | FramebatchError> | null {
    const preprocess = this.#preprocess;
    if (preprocess !== null) item.row ??= this.#prepare(item, preprocess, state);
    return item.row;
  }

  /** Ends a batch. If it was not answered, its items stay for the next attempt, except the withdrawn ones. */
  ended(items: readonly HeldItem[], isAnswered: boolean): void {
    for (const item of items) {
      item.isRunning = false;
      if (item.onIdle !== null) item.onIdle();
      else if (isAnswered || item.withdrawal.signal.aborted) this.#release(item);
    }
  }

  /** Gives items up: the caller owns them. Waits until no batch and no `preprocess` uses them. */
  async giveUp(ids: readonly number[]): Promise<HeldItem[]> {
    const items = ids.flatMap((id) => this.#items.get(id) ?? []);
    for (const { id } of items) this.#items.delete(id);
    const ends = items.map((item) => item.isRunning && new Promise<void>((resolve) => (item.onIdle = resolve)));
    await Promise.all([...ends, ...items.map(({ row }) => row)]);
    return items;
  }

  /** Drops an item that needs no answer. If it has not been preprocessed, it never is. */
  withdraw(id: number): void {
    const item = this.#items.get(id);
    item?.withdrawal.abort(new DOMException("the request has ended", "AbortError"));
    if (item !== undefined && !item.isRunning) this.#release(item);
  }

  #hold({ id, content }: HandledItem, isEarly: boolean): HeldItem {
    if (content === null) throw new FramebatchError("INFERENCE_FAILED", `expected item ${id} in the worker, got none`);
    const { value, row } = content;
    const prepared = row === undefined ? null : Promise.resolve(row);
    const withdrawal = new AbortController();
    const item: HeldItem = { id, value, withdrawal, isEarly, row: prepared, isRunning: false, onIdle: null };
    this.#items.set(id, item);
    return item;
  }

  /** Frees the memory of an item, as soon as `preprocess` no longer uses it. */
  #release({ id, value, row }: HeldItem): void {
    this.#items.delete(id);
    void (row ?? Promise.resolve()).then(() => closeAll(value));
  }

  async #prepare(
    { value, withdrawal }: HeldItem,
    preprocess: Preprocess,
    state: HeldState | undefined,
  ): Promise<HeldRow | FramebatchError> {
    this.#preparing += 1;
    const row = await preprocess(value, withdrawal.signal, state);
    this.#preparing -= 1;
    return row;
  }

  async #workAhead(): Promise<void> {
    this.#isWorkingAhead = true;
    let sliceEndMs = performance.now() + SLICE_MS;
    for (const item of this.#items.values()) {
      if (!item.isEarly || item.row !== null) continue;
      if (performance.now() >= sliceEndMs) {
        await nextTask();
        sliceEndMs = performance.now() + SLICE_MS;
      }
      // The item may have been withdrawn, or preprocessed for its batch, in the meantime.
      if (item.row !== null || item.withdrawal.signal.aborted) continue;
      const row = this.rowOf(item);
      if (this.#preparing >= MAX_AHEAD) await row;
    }
    this.#isWorkingAhead = false;
  }
}
