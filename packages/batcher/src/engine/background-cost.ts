import { FRAME_MS } from "@framebatch/host/clock.js";
import type { CostModel } from "../cost/cost-model.js";
import { BACKGROUND } from "../queue/priority.js";

/**
 * Returns how much longer a run takes because of its background requests, in milliseconds. While no run time is known,
 * this is a frame.
 */
export function backgroundMs(cost: CostModel, rows: readonly { readonly rank: number }[], volume: number): number {
  const urgent = rows.filter(({ rank }) => rank < BACKGROUND).length;
  if (urgent === rows.length) return 0;
  if (!cost.isKnown) return FRAME_MS;
  return cost.predict(rows.length, volume) - (urgent === 0 ? 0 : cost.predict(urgent, volume));
}
