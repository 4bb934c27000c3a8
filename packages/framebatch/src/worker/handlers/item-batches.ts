import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { HandledItem, ItemsRequest, RunReply, WorkerNotice } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import { releaseBefore, type StatesBefore } from "../sequences/sequence-states.js";
import type { InTurn, Serve } from "../session/feeds-reply.js";
import { ExecutingRun } from "./executing-run.js";
import { HeldItems, type HeldItem, type HeldRow, type Preprocess } from "./held-items.js";
import { recalled } from "./recalled-items.js";

/** An item of a batch, and its row; `null` if items get none. */
export interface TakenItem {
  readonly item: HeldItem;
  readonly row: HeldRow | FramebatchError | null;
}

/** A batch of items beside the items. */
export interface ItemBatch extends Pick<ItemsRequest, "isAlone" | "steps"> {
  /** See `ItemWork`. */
  readonly before: StatesBefore | null;
}

/** What the user's module serves: handlers around a model, or an engine. */
export interface ItemWork {
  /** Turns an item into its row; `null` if items get none. */
  readonly preprocess: Preprocess | null;
  /**
   * Returns the state from which each item starts. @default items have none
   * @throws SEQUENCE_LOST when that of a step is not here
   */
  before?(request: ItemsRequest): StatesBefore;
  /**
   * Runs a batch of items.
   * @param serve runs the model
   * @throws why no item has an outcome
   */
  run(items: readonly TakenItem[], batch: ItemBatch, serve: Serve): Promise<Sent<RunReply>>;
  /** Drops the state of a sequence. */
  endSequence?(sequence: number): void;
  /** Drops the states of all sequences, when the model leaves the worker. */
  release?(): void;
  /** Ends the engine, in the time that an ending worker has. */
  dispose?(): Promise<void>;
}

/** What a worker has before its handlers or its engine are loaded, and for good if its module gives none. */
export const NO_WORK: ItemWork = {
  preprocess: null,
  run() {
    const error = new FramebatchError("INFERENCE_FAILED", "expected loaded handlers or a loaded engine, got none");
    return Promise.resolve({ reply: { ok: false, error: encodeError(error), fatal: true }, transfer: [] });
  },
};

/** Runs batches of items, which stay in the worker until they are answered, withdrawn or recalled. */
export class ItemBatches {
  readonly #work: ItemWork;
  readonly #items: HeldItems;
  readonly #executing: ExecutingRun<ItemsRequest>;

  constructor(work: ItemWork, say: (notice: WorkerNotice) => void) {
    this.#work = work;
    this.#items = new HeldItems(work.preprocess);
    this.#executing = new ExecutingRun(({ items }) => say({ notice: "executing", item: items[0]!.id }));
  }

  /** Takes items for later batches. */
  deliver(items: readonly HandledItem[]): void {
    this.#items.deliver(items);
  }

  /** Drops an item that needs no answer any more. */
  withdraw(id: number): void {
    this.#items.withdraw(id);
  }

  /** Gives items back that no batch will contain here. */
  recall(ids: readonly number[]): Promise<Sent<readonly HandledItem[]>> {
    return recalled(this.#items, ids);
  }

  /** Runs a batch in its turn. Its items stay in the worker unless the reply is `ok`. */
  async run(request: ItemsRequest, inTurn: InTurn): Promise<Sent<RunReply>> {
    let taken: readonly HeldItem[] = [];
    let before: StatesBefore | null = null;
    let isAnswered = false;
    this.#executing.opened(request);
    try {
      const held = this.#items.take(request.items);
      taken = held;
      // Before the turn: of the runs with a step of a sequence, the one that the page has sent last counts.
      const batch = { ...request, before: (before = this.#work.before?.(request) ?? null) };
      const sent = await inTurn((serve) => this.#runTaken(held, batch, request, serve));
      isAnswered = sent.reply.ok;
      return sent;
    } catch (thrown) {
      return { reply: { ok: false, error: encodeError(thrown), fatal: false }, transfer: [] };
    } finally {
      if (before !== null) releaseBefore(before);
      this.#items.ended(taken, isAnswered);
      this.#executing.closed(request);
    }
  }

  async #runTaken(
    taken: readonly HeldItem[],
    batch: ItemBatch,
    request: ItemsRequest,
    serve: Serve,
  ): Promise<Sent<RunReply>> {
    const rowed = taken.map(async (item, index) => {
      return { item, row: await this.#items.rowOf(item, batch.before?.ofRows[index]) };
    });
    const begins = () => this.#executing.begins(request);
    return this.#work.run(await Promise.all(rowed), batch, (turn) => serve(turn, begins));
  }

  endSequence(sequence: number): void {
    this.#work.endSequence?.(sequence);
  }

  release(): void {
    this.#work.release?.();
  }

  async dispose(): Promise<void> {
    await this.#work.dispose?.();
  }
}
