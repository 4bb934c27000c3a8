import type { ItemsRequest } from "../../transport/protocol.js";
import type { ServeFeeds } from "../session/feeds-reply.js";
import type { Exclusively } from "./engine-batches.js";

/** Gives a task its turn in the worker, and what runs the model in it. */
export type ItemTurn = <T>(task: (serve: ServeFeeds) => Promise<T>) => Promise<T>;

/**
 * Returns how a run of items takes turns with everything else: one for each run of the model, or, if it is exclusive, one
 * for all that it does.
 * @param serve runs the model for what has the turn
 */
export function turnOf(
  { isExclusive }: Pick<ItemsRequest, "isExclusive">,
  lock: { readonly run: Exclusively },
  serve: ServeFeeds,
): ItemTurn {
  if (isExclusive) return (task) => lock.run(() => task(serve));
  return (task) => task((feeds, onBegin) => lock.run(() => serve(feeds, onBegin)));
}
