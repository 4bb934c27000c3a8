import { after, type Timer } from "@framebatch/host/host-timer.js";
import { lockReleased } from "@framebatch/host/page.js";

/**
 * Time in which answers that a worker sent before its end may arrive, in milliseconds. The browser tells of the lock by
 * another way, which can be faster.
 */
const LAST_WORDS_MS = 50;

/**
 * Calls back when `lock` has been released: a Web Lock that a worker holds until it ends. A worker that closes itself,
 * or that the browser ends, sends no event. Returns a function that cancels the wait.
 */
export function whenReleased(lock: string, timer: Timer, onRelease: () => void): () => void {
  const care = new AbortController();
  let cancel = (): void => undefined;
  const listen = () => {
    if (!care.signal.aborted) cancel = after(LAST_WORDS_MS, onRelease, timer);
  };
  // Rejects when the wait is cancelled, and where locks are forbidden. Without the lock, only the hang detection
  // notices the end, some seconds later.
  lockReleased(lock, care.signal).then(listen, () => undefined);
  return () => {
    care.abort();
    cancel();
  };
}
