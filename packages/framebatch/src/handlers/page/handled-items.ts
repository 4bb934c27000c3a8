import type { Batch } from "@framebatch/batcher/engine/engine.js";
import type { WorkerClient } from "../../client/workers/worker-client.js";
import type { WorkerPool } from "../../client/workers/worker-pool.js";
import {
  type ItemFunctions,
  PageItems,
  type PageItem,
  canReach,
  handOver,
  placesOf,
  takeBack,
  unsendable,
} from "./page-items.js";
import type { Suspects } from "../../client/engine/suspects.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { decodeError } from "@framebatch/batcher/errors/error-data.js";
import type { ItemsAnswer, ItemsRequest } from "../handler-messages.js";
import { lostWithWorker, ofPart } from "../../client/engine/row-batches.js";
import type { PreparedBatch } from "../../client/engine/model-engine.js";
import type { PendingRun, RunResult } from "../../client/workers/pending-runs.js";

export type HandledItems = ReturnType<typeof handledItems>;

/**
 * Items for the handlers of the worker, which turns them into tensors, and outputs into results. Only the user knows
 * their types.
 * @param suspects while there are any, no item is sent before its batch, and batches are exclusive; `null` if the
 * worker can do nothing with an item before its batch
 * @param mayShare see `PageItems`
 */
export function handledItems(pool: WorkerPool, functions: ItemFunctions, suspects: Suspects | null, mayShare = false) {
  const items = new PageItems(pool, functions, suspects, mayShare);
  const hasOneVolume = functions.shapeOf === undefined && pool.session.model.padding.extents.length === 0;
  const volumes = new ObservedVolumes(hasOneVolume ? 1 : null);
  return {
    admit: (item: unknown, isMoved: boolean) => items.admit(item, isMoved),
    copy: (item: PageItem) => items.copy(item),
    shapeOf: ({ shape }: PageItem) => shape,
    take: (item: PageItem) => items.take(item),
    prepare: (batch: Batch<PageItem>, sending?: ItemSending) => prepareHandled(batch, volumes, suspects, sending),
    volumes,
    onRetiring: (client: WorkerClient) => items.takeBackFrom(client),
    onSettled: (item: PageItem) => items.settled(item),
  };
}

/**
 * The volumes of items for handlers: only `preprocess` knows the tensors of an item. Derives the factor from the first
 * batch that has run.
 */
export class ObservedVolumes {
  #factor: number | null;
  readonly #waiting: ((factor: number) => void)[] = [];

  /** @param factor `null` if it is not known yet */
  constructor(factor: number | null) {
    this.#factor = factor;
  }

  /** Volume of an item for each unit of the volume of its tensors; `null` until a batch has run. */
  get factor(): number | null {
    return this.#factor;
  }

  /** Compares the volume of a row as the page expected it with that of its tensors. */
  saw(itemVolume: number, tensorVolume: number): void {
    // Empty rows say nothing about others.
    if (this.#factor !== null || itemVolume === 0 || tensorVolume === 0) return;
    const factor = itemVolume / tensorVolume;
    this.#factor = factor;
    for (const callback of this.#waiting.splice(0)) callback(factor);
  }

  /** Calls back with the factor as soon as it is known. */
  whenKnown(callback: (factor: number) => void): void {
    if (this.#factor === null) this.#waiting.push(callback);
    else callback(this.#factor);
  }
}

/** How the items of a batch are sent. */
export interface ItemSending {
  /** Whether an attempt sends an item that the worker can have. */
  readonly isSent: (item: PageItem) => boolean;
  readonly run: (
    client: WorkerClient,
    items: readonly PageItem[],
    request: ItemsRequest,
    transfer: Transferable[],
    run: PendingRun,
  ) => Promise<RunResult>;
}

const PLAINLY: ItemSending = {
  isSent: () => true,
  run: (client, _items, request, transfer, run) => client.run(request, transfer, run),
};

/**
 * Prepares a batch of items for the handlers of a worker.
 * @param volumes learns the volume of the tensors
 * @param suspects see `handledItems`
 */
export function prepareHandled(
  { items, isAlone, extents }: Batch<PageItem>,
  volumes: ObservedVolumes,
  suspects: Pick<Suspects, "areNone"> | null,
  sending: ItemSending = PLAINLY,
): PreparedBatch<unknown> {
  /** The items of the current attempt. */
  let sent: readonly PageItem[] = [];
  return {
    mayRepeat: false,
    runOn: async (client, run) => {
      const away = items.filter((item) => !item.isSettled && !canReach(item, client));
      if (away.length > 0) await takeBack(away);
      // It may have ended meanwhile, and would take along what is handed to it now.
      if (client.hasEnded) throw lostWithWorker();
      sent = items.filter((item) => canReach(item, client) && sending.isSent(item));
      // The worker need not run for items that it cannot have.
      if (sent.length === 0) return { ok: true, reply: EMPTY_ANSWER };
      const result = await attempt(sent, client, () => {
        const transfer: Transferable[] = [];
        const isExclusive = suspects?.areNone === false;
        const request = { items: sent.map((item) => handOver(item, client, transfer)), isAlone, isExclusive };
        return sending.run(client, sent, request, transfer, run);
      });
      return sent.length === items.length ? result : ofPart(result);
    },
    resultsOf: (reply) => {
      const { outcomes, volume } = "outcomes" in reply ? reply : EMPTY_ANSWER;
      volumes.saw(volumeOf(extents), volume);
      // The worker has released the items that it has answered.
      for (const item of sent) item.holder = null;
      const outcomeOf = new Map(sent.map((item, index) => [item, outcomes[index]!]));
      return items.map((item) => {
        const outcome = outcomeOf.get(item);
        if (outcome === undefined) return lostWithWorker();
        return "error" in outcome ? decodeError(outcome.error) : outcome.value;
      });
    },
  };
}

/** The reply to a batch without items. */
const EMPTY_ANSWER: ItemsAnswer = { ok: true, outcomes: [], inferenceMs: 0, rows: 0, volume: 0 };

/** Makes a call that hands items over. If the message cannot be sent, the items stay on the page. */
async function attempt(
  items: readonly PageItem[],
  client: WorkerClient,
  call: () => Promise<RunResult>,
): Promise<RunResult> {
  const places = placesOf(items);
  try {
    const result = await call();
    if (!result.ok && result.isUnsent === true) places.restore();
    return result;
  } catch (error) {
    if (client.hasEnded) throw error;
    places.restore();
    return { ok: false, error: unsendable(error) };
  }
}
