import type { ItemsRequest } from "../../transport/protocol.js";
import type { Serve } from "../session/feeds-reply.js";
import type { Exclusively } from "./engine-batches.js";

/** Gives a task its turn in the worker, and what runs the model in it. */
export type ItemTurn = <T>(task: (serve: Serve) => Promise<T>) => Promise<T>;

/**
 * Returns how a run of items takes turns with everything else: one for each run of the model, or, if it is exclusive, one
 * for all that it does.
 * @param serve runs the model for what has the turn
 */
export function turnOf(
  { isExclusive }: Pick<ItemsRequest, "isExclusive">,
  lock: { readonly run: Exclusively },
  serve: Serve,
): ItemTurn {
  if (isExclusive) return (task) => lock.run(() => task(serve));
  return (task) => task((turn, onBegin) => lock.run(() => serve(turn, onBegin)));
}
