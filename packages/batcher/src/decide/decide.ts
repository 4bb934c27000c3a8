import { type Decision, type Release, release, waitUntil } from "./decision.js";
import { RELEASE_RULES, type ReleaseRule } from "./rules.js";
import type { Situation } from "./situation.js";
import { endMs, sizeInTime, sizeOf } from "./size.js";

/**
 * Decides what happens to the next batch: it is dispatched with a size and a reason, it waits, or its leader is shed.
 * Nothing else decides any of these. Has no state and reads no clock.
 */
export function decide(situation: Situation, rule: ReleaseRule): Decision {
  const { nowMs, mayStartAtMs, isFlushed } = situation;
  if (mayStartAtMs > nowMs) return waitUntil(mayStartAtMs);
  // With `window`, the user chooses the batch size: all queued requests that fit are dispatched together.
  const timing = isFlushed ? release("flush", rule === "window") : RELEASE_RULES[rule](situation);
  return timing.action === "wait" ? timing : sized(timing, situation);
}

function sized({ reason, isWhole, free }: Release, situation: Situation): Decision {
  const { size: queued, fullSize } = situation;
  const wanted = isWhole ? queued : sizeOf(situation);
  const size = sizeInTime(wanted, situation);
  if (size === 0) return { action: "shed", endMs: endMs(wanted, situation), free };
  const isFull = reason === "idle" && (wanted < queued || queued >= fullSize);
  return { action: "dispatch", size, reason: isFull ? "full" : reason, free };
}
