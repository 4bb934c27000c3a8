import type { Clock } from "../../src/core/clock.js";

/** Makes `action` run once at the end of a task, however often it is asked for: a burst made in one task is seen whole. */
export function oncePerTask(clock: Clock, action: () => void): () => void {
  let isPosted = false;
  return () => {
    if (isPosted) return;
    isPosted = true;
    clock.afterTask(() => {
      isPosted = false;
      action();
    });
  };
}
