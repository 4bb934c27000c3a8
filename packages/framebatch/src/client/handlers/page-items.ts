import { FramebatchError } from "../../core/errors.js";
import { type ItemShape, PLAIN_SHAPE } from "../../core/shape.js";
import { closeAll, isConstant, transferablesIn } from "../../transport/object-graph.js";
import type { HandledItem } from "../../transport/protocol.js";
import type { WorkerClient } from "../workers/worker-client.js";
import type { WorkerPool } from "../workers/worker-pool.js";

/** An item for the handlers of a worker, as long as its request is open. */
export interface PageItem {
  readonly id: number;
  readonly shape: ItemShape;
  /** Whether the item moves to the worker, so that a worker that ends takes it along. */
  readonly isMoved: boolean;
  /** The item; `null` once it has moved to a worker. */
  content: { readonly value: unknown } | null;
  /** The worker that has the item; `null` if none has it yet. */
  holder: WorkerClient | null;
}

type Session = Pick<WorkerPool, "slots">;

/**
 * Sends items to the worker. An item goes there at the call, so that `preprocess` overlaps with waiting in the queue. It
 * goes with its batch instead if it is not certain which worker will run it, or after a worker was lost: a `preprocess`
 * that ends its worker must only end the run of its own batch.
 */
export class PageItems {
  readonly #pool: Session;
  readonly #shapeOf: ((item: unknown) => ItemShape) | undefined;
  #lastId = 0;
  #sendsEarly = true;

  constructor(pool: Session, shapeOf: ((item: unknown) => ItemShape) | undefined) {
    this.#pool = pool;
    this.#shapeOf = shapeOf;
  }

  /** Sends items only with their batches from now on. */
  stopSendingEarly(): void {
    this.#sendsEarly = false;
  }

  /**
   * Takes over an item: moves what can be transferred, or copies what could change.
   * @throws INVALID_INPUT when the item cannot be sent to a worker; what `shapeOf` throws
   */
  admit(value: unknown, isMoved: boolean): PageItem {
    const shape = this.#shapeOf === undefined ? PLAIN_SHAPE : this.#shapeOf(value);
    const item: PageItem = { id: ++this.#lastId, shape, isMoved, content: { value }, holder: null };
    const client = this.#earlyHolder();
    try {
      if (client === null || !isMoved) item.content = { value: isMoved ? moved(value) : copied(value) };
      if (client !== null) this.#deliver(item, client);
    } catch (cause) {
      throw unsendable(cause);
    }
    return item;
  }

  /** Ends an item whose request has settled. Frees its memory, wherever it is. */
  settled({ id, isMoved, content, holder }: PageItem): void {
    holder?.notify({ withdrawn: id });
    if (content !== null && (isMoved || !isConstant(content.value))) closeAll(content.value);
  }

  #deliver(item: PageItem, client: WorkerClient): void {
    const transfer: Transferable[] = [];
    client.notify({ delivered: handOver(item, client, transfer) }, transfer);
  }

  /** The worker that is certain to run the next batch, if there is one. */
  #earlyHolder(): WorkerClient | null {
    const [slot, ...others] = this.#pool.slots;
    if (!this.#sendsEarly || slot === undefined || others.length > 0 || !slot.isReady) return null;
    return slot.session.client;
  }
}

/** Whether an item can be run by a worker. One that has moved to another worker cannot. */
export function canReach({ content, holder }: PageItem, client: WorkerClient): boolean {
  return holder === client || content !== null;
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

/** Moves a value on this page: the caller's buffers and bitmaps are detached. */
function moved<Value>(value: Value): Value {
  return structuredClone(value, { transfer: transferablesIn(value) });
}

function copied<Value>(value: Value): Value {
  return isConstant(value) ? value : structuredClone(value);
}

/** Returns the error of an item that no message can contain. */
export function unsendable(cause: unknown): FramebatchError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `expected an item that can be sent to a worker, got one that cannot be copied (${why}); remove functions, and do not close or transfer bitmaps before the call`;
  return new FramebatchError("INVALID_INPUT", message, { cause });
}
