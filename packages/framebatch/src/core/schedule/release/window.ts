import { type Decision, type ReleaseContext, send, waitUntil } from "./context.js";
import { idle } from "./idle.js";

/**
 * Applies `maxBatchSize` and `maxQueueDelayMs`, as server batchers do. The window starts with the oldest request and
 * never restarts.
 */
export function window(context: ReleaseContext): Decision {
  const { nowMs, windowClosesAtMs } = context;
  if (context.isHidden) return idle(context);
  if (context.queued >= context.maxBatchSize) return send("full", true);
  return nowMs >= windowClosesAtMs ? send("window", true) : waitUntil(windowClosesAtMs);
}
