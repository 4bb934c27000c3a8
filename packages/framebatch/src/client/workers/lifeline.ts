import { after, type Timer } from "@framebatch/host/host-timer.js";
import { lockReleased } from "@framebatch/host/page.js";

/**
 * Time in which answers that a worker sent before its end may arrive, in milliseconds. The browser tells of the lock by
 * another way, which can be faster.
 */
const LAST_WORDS_MS = 50;

/** Hears of the end of a worker. */
interface EndListener {
  /** It has ended: what is sent to it now is lost. */
  readonly onRelease: () => void;
  /** Its last answers have arrived. */
  readonly onEnd: () => void;
}

/**
 * Calls back when `lock` has been released: a Web Lock that a worker holds until it ends. A worker that closes itself,
 * or that the browser ends, sends no event. Returns a function that cancels the wait.
 */
export function whenReleased(lock: string, timer: Timer, { onRelease, onEnd }: EndListener): () => void {
  const care = new AbortController();
  let cancel = (): void => undefined;
  const listen = () => {
    if (care.signal.aborted) return;
    onRelease();
    cancel = after(LAST_WORDS_MS, onEnd, timer);
  };
  // Rejects when the wait is cancelled, and where locks are forbidden. Without the lock, only the hang detection
  // notices the end, some seconds later.
  lockReleased(lock, care.signal).then(listen, () => undefined);
  return () => {
    care.abort();
    cancel();
  };
}
