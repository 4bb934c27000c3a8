import { after, type Timer } from "@framebatch/host/host-timer.js";
import { isLockHeld, lockReleased } from "@framebatch/host/page.js";

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
 * or that the browser ends, sends no event. Returns a function that cancels the wait. Never calls back if the lock is free
 * already: then it is not one that this page can see.
 */
export function whenReleased(lock: string, timer: Timer, { onRelease, onEnd }: EndListener): () => void {
  const care = new AbortController();
  let cancel = (): void => undefined;
  const listen = () => {
    if (care.signal.aborted) return;
    onRelease();
    cancel = after(LAST_WORDS_MS, onEnd, timer);
  };
  const wait = async () => {
    if (!(await isLockHeld(lock))) return;
    await lockReleased(lock, care.signal);
    listen();
  };
  // Rejects when the wait is cancelled, and where locks are forbidden. Without the lock, only the hang detection
  // notices the end, some seconds later.
  wait().catch(() => undefined);
  return () => {
    care.abort();
    cancel();
  };
}
