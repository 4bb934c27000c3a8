import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { checkedShape } from "@framebatch/batcher/batcher/batcher-config.js";
import { type ItemShape, PLAIN_SHAPE } from "@framebatch/batcher/queue/shape.js";
import { closeAll, isConstant, transferablesIn } from "../object-graph.js";
import type { HandledContent, HandledItem } from "../handler-messages.js";
import type { WorkerClient } from "../../client/workers/worker-client.js";
import type { WorkerPool } from "../../client/workers/worker-pool.js";
import type { Suspects } from "../../client/engine/suspects.js";

/** An item for the handlers of a worker, as long as its request is open. */
export interface PageItem {
  readonly id: number;
  readonly shape: ItemShape;
  /** The identity of its content; `undefined` if it shares no result. */
  readonly contentKey: string | undefined;
  /** Whether the item moves to the worker, so that a worker that ends takes it along. */
  isMoved: boolean;
  /** Whether the item is framebatch's; until then, what moves is still the caller's. */
  isTaken: boolean;
  /** The item; `null` once it has moved to a worker. */
  content: HandledContent | null;
  /** The worker that has the item; `null` if none has it yet. */
  holder: WorkerClient | null;
  /** Resolves when the item is back from a worker, or lost with it; `null` unless it is asked back. */
  returning: Promise<void> | null;
  isSettled: boolean;
}

/**
 * The caller's functions of an item. They get the item itself: a copy of an instance of a class has neither its getters
 * nor its methods.
 */
export interface ItemFunctions {
  readonly shapeOf?: ((item: unknown) => ItemShape) | undefined;
  readonly contentKey?: ((item: unknown) => string | undefined) | undefined;
}

type Session = Pick<WorkerPool, "slots">;

/**
 * Sends items to the worker. An item goes there soon after its request is accepted, in one message with the others of
 * its task, so that `preprocess` overlaps with waiting in the queue. It goes with its batch instead if it is not
 * certain which worker will run it, or while there are suspects.
 */
export class PageItems {
  readonly #pool: Session;
  readonly #shapeOf: ItemFunctions["shapeOf"];
  readonly #contentKey: ItemFunctions["contentKey"];
  /** Items to be delivered at the end of the microtasks. */
  #undelivered: PageItem[] = [];
  /** The open items that a worker takes along if it dies. */
  readonly #moved = new Set<PageItem>();
  #lastId = 0;
  readonly #suspects: Suspects | null;
  readonly #mayShare: boolean;

  /**
   * @param suspects `null` if the worker can do nothing with an item before its batch
   * @param mayShare whether several requests may share an item, which then stays on the page: one of them may not have
   * given it away
   */
  constructor(pool: Session, { shapeOf, contentKey }: ItemFunctions, suspects: Suspects | null, mayShare: boolean) {
    this.#mayShare = mayShare;
    this.#pool = pool;
    this.#shapeOf = shapeOf;
    this.#contentKey = contentKey;
    this.#suspects = suspects;
  }

  /**
   * Copies what could change of an item, unless it moves.
   * @throws INVALID_INPUT when the item cannot be sent to a worker; what the caller's functions throw
   */
  admit(value: unknown, isMoved: boolean): PageItem {
    const shape = this.#shapeOf === undefined ? PLAIN_SHAPE : checkedShape(this.#shapeOf(value));
    const contentKey = this.#contentKey?.(value);
    return this.#itemOf({ shape, contentKey }, isMoved ? value : takenOver(value, false), isMoved);
  }

  /**
   * Returns an item of the same content, which is a copy: its caller closes it.
   * @throws INVALID_INPUT when there can be none
   */
  copy(item: PageItem): PageItem {
    return this.#itemOf(item, cloned(item.content?.value, []), false);
  }

  #itemOf({ shape, contentKey }: Pick<PageItem, "shape" | "contentKey">, value: unknown, isMoved: boolean): PageItem {
    const place = { isTaken: false, content: { value }, holder: null, returning: null, isSettled: false };
    return { id: ++this.#lastId, shape, contentKey, isMoved, ...place };
  }

  /**
   * Takes over an item: moves what can be transferred. Sends it to the worker soon.
   * @throws INVALID_INPUT when the item cannot be moved
   */
  take(item: PageItem): void {
    if (item.isTaken || item.content === null) return;
    if (item.isMoved) {
      item.content = { value: takenOver(item.content.value, true) };
      if (this.#mayShare) item.isMoved = false;
      else this.#moved.add(item);
    }
    item.isTaken = true;
    if (this.#suspects?.areNone === true && this.#undelivered.push(item) === 1)
      void Promise.resolve().then(() => this.#deliver());
  }

  /** Ends an item whose request has settled. Frees its memory, wherever it is. */
  settled(item: PageItem): void {
    const { id, isMoved, isTaken, content, holder } = item;
    item.isSettled = true;
    this.#moved.delete(item);
    holder?.notify({ withdrawn: id });
    item.content = null;
    if (content !== null && (isMoved ? isTaken : !isConstant(content.value))) closeAll(content.value);
  }

  /** Asks a worker that has not ended for the items that only it has. */
  takeBackFrom(client: WorkerClient): void {
    void takeBack([...this.#moved].filter((item) => item.holder === client));
  }

  /** Sends the items that have neither been sent with a batch nor settled. If they cannot be sent, they stay. */
  #deliver(): void {
    const waiting = this.#undelivered.filter(({ content, holder }) => content !== null && holder === null);
    this.#undelivered = [];
    const client = this.#earlyHolder();
    if (client === null || waiting.length === 0) return;
    const places = placesOf(waiting);
    const transfer: Transferable[] = [];
    const delivered = waiting.map((item) => handOver(item, client, transfer));
    try {
      client.notify({ delivered }, transfer);
    } catch {
      // The batch with the item that cannot be sent says so.
      places.restore();
    }
  }

  /** The worker that is certain to run the next batch, if there is one. */
  #earlyHolder(): WorkerClient | null {
    const [slot, ...others] = this.#pool.slots;
    if (slot?.state !== "ready" || others.length > 0 || this.#suspects?.areNone !== true) return null;
    const { client } = slot.session;
    return client.ending === null ? client : null;
  }
}

/**
 * Asks the workers that have moved items for them. Resolves when the items are on the page again, or lost with a worker
 * that has died.
 */
export async function takeBack(items: readonly PageItem[]): Promise<void> {
  const asked = items.filter(({ content, returning }) => content === null && returning === null);
  for (const holder of new Set(asked.map((item) => item.holder))) {
    if (holder === null) continue;
    const held = asked.filter((item) => item.holder === holder);
    const returning = bringBack(held, holder);
    for (const item of held) item.returning = returning;
  }
  for (const { returning } of items) await returning;
}

/** Never rejects. */
async function bringBack(items: readonly PageItem[], holder: WorkerClient): Promise<void> {
  const returned = await holder.recall(items.map(({ id }) => id)).catch(() => []);
  const contents = new Map(returned.map(({ id, content }) => [id, content]));
  for (const item of items) {
    item.returning = null;
    const content = contents.get(item.id) ?? null;
    if (content === null) continue;
    if (item.isSettled) closeAll(content.value);
    else Object.assign(item, { content, holder: null });
  }
}

/** Remembers where items are, for a message that may fail. */
export function placesOf(items: readonly PageItem[]): { restore(): void } {
  const places = items.map(({ content, holder }) => ({ content, holder }));
  return {
    restore() {
      for (const [index, item] of items.entries()) Object.assign(item, places[index]);
    },
  };
}

/** Whether an item can be run by a worker. One that has settled, or has moved to another worker, cannot. */
export function canReach({ content, holder, isSettled }: PageItem, client: WorkerClient): boolean {
  return !isSettled && (holder === client || content !== null);
}

/**
 * Returns what to send to a worker for an item. Adds what is transferred with it to `transfer`. The worker holds the
 * item from then on.
 */
export function handOver(item: PageItem, client: WorkerClient, transfer: Transferable[]): HandledItem {
  if (item.holder === client) return { id: item.id, content: null };
  const { id, isMoved, content } = item;
  if (isMoved && content !== null) {
    transfer.push(...transferablesIn(content.value));
    item.content = null;
  }
  item.holder = client;
  return { id, content };
}

/**
 * Moves a value, which detaches the caller's buffers and bitmaps, or copies it, unless it never changes.
 * @throws INVALID_INPUT when it cannot be copied
 */
function takenOver(value: unknown, isMoved: boolean): unknown {
  return !isMoved && isConstant(value) ? value : cloned(value, isMoved ? transferablesIn(value) : []);
}

/** @throws INVALID_INPUT when it cannot be copied */
function cloned(value: unknown, transfer: Transferable[]): unknown {
  try {
    return structuredClone(value, { transfer });
  } catch (cause) {
    throw unsendable(cause);
  }
}

/** Returns the error of an item that no message can contain. */
export function unsendable(cause: unknown): FramebatchError {
  const message = `expected an item that can be sent to a worker, got one that cannot be copied (${asError(cause).message}); remove functions, and do not close or transfer bitmaps before the call`;
  return new FramebatchError("INVALID_INPUT", message, { cause });
}
