import type { ItemsRequest } from "../../transport/protocol.js";
import type { InTurn, Serve } from "../session/feeds-reply.js";
import type { Exclusively } from "./engine-batches.js";

/**
 * Returns how a run of items takes turns with everything else: one for each run of the model, or, if it is exclusive, one
 * for all that it does.
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
