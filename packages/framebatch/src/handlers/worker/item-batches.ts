import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { RunReply, WorkerNotice } from "../../transport/protocol.js";
import type { HandledItem, ItemsRequest } from "../handler-messages.js";
import type { Sent } from "../../transport/transport.js";
import { releaseBefore, type StatesBefore } from "../../sequences/worker/sequence-states.js";
import type { InTurn, Serve } from "../../worker/session/feeds-reply.js";
import { HeldItems, type HeldItem, type HeldRow, type Preprocess } from "./held-items.js";
import { hasClosed, transferablesIn, withoutClosed } from "../object-graph.js";
import type { Exclusively } from "./open-engine.js";

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

/**
 * Tells the page which run the worker executes, so that a crash is blamed on the right one. The page assumes the run
 * named last while it is open, or else the oldest; it is told only when that is wrong.
 */
export class ExecutingRun<Run> {
  readonly #tell: (run: Run) => void;
  /** In the order in which they came. */
  readonly #open = new Set<Run>();
  #told: Run | null = null;

  constructor(tell: (run: Run) => void) {
    this.#tell = tell;
  }

  opened(run: Run): void {
    this.#open.add(run);
  }

  closed(run: Run): void {
    this.#open.delete(run);
    if (this.#told === run) this.#told = null;
  }

  /** Notes that the model is about to run for an open run. */
  begins(run: Run): void {
    const [oldest] = this.#open;
    if ((this.#told ?? oldest) === run) return;
    this.#told = run;
    this.#tell(run);
  }
}

/** Gives items back that no batch will contain here. */
async function recalled(held: HeldItems, ids: readonly number[]): Promise<Sent<readonly HandledItem[]>> {
  const items = await Promise.all((await held.giveUp(ids)).map(packed));
  const reply = items.filter((item) => item !== null);
  return { reply, transfer: reply.flatMap(({ content }) => transferablesIn(content?.value)) };
}

/** Returns an item as a message can contain it; `null` if none can, because `preprocess` has given away its buffers. */
async function packed({ id, value, row }: HeldItem): Promise<HandledItem | null> {
  const prepared = await row;
  const isPassing = prepared !== null && "passed" in prepared;
  // No message contains what was passed on: the item is preprocessed again elsewhere, if it still can be.
  if (isPassing && hasClosed(value)) return null;
  const open = withoutClosed(value);
  try {
    const content = { value: structuredClone(open, { transfer: transferablesIn(open) }) };
    if (prepared === null || prepared instanceof FramebatchError || isPassing) return { id, content };
    // The array of a small input is a part of a buffer, which a message would contain as a whole.
    const data = prepared.data.map((elements) => elements?.slice() ?? null);
    return { id, content: { ...content, row: { ...prepared, data } } };
  } catch {
    return null;
  }
}

/**
 * Returns how a run of items takes turns with everything else: one for each run of the model, or, if it is exclusive,
 * one for all that it does.
 * @param serve runs the model for what has the turn
 */
export function turnOf(
  { isExclusive }: Pick<ItemsRequest, "isExclusive">,
  lock: { readonly run: Exclusively },
  serve: Serve,
): InTurn {
  if (isExclusive) return (task) => lock.run(() => task(serve));
  return (task) => task((turn, onBegin) => lock.run(() => serve(turn, onBegin)));
}
