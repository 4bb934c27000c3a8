import type { Batch } from "@framebatch/batcher/engine/engine.js";
import type { WorkerClient } from "../workers/worker-client.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { ObservedVolumes } from "./observed-volumes.js";
import { type ItemSending, prepareHandled } from "./prepare-handled.js";
import { type ItemFunctions, PageItems, type PageItem } from "./page-items.js";
import type { Suspects } from "./suspects.js";

export type HandledItems = ReturnType<typeof handledItems>;

/**
 * Items for the handlers of the worker, which turns them into tensors, and outputs into results. Only the user knows
 * their types.
 * @param suspects while there are any, no item is sent before its batch, and batches are exclusive; `null` if the worker
 * can do nothing with an item before its batch
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
