import type { EventLoop } from "../run/event-loop.js";

/**
 * Returns a function that runs `action` once at the end of the current task, however often it is called. A burst made
 * in one task is therefore complete when `action` runs.
 */
export function oncePerTask(clock: EventLoop, action: () => void): () => void {
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
