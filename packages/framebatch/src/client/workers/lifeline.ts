import { lockReleased } from "../page/host.js";

/**
 * Calls back as soon as `lock` is released: a Web Lock that a worker holds until it ends. A worker that closes itself,
 * or that the browser ends, sends no event. Returns a function that cancels the wait.
 */
export function whenReleased(lock: string, onRelease: () => void): () => void {
  const care = new AbortController();
  // Rejects when the wait is cancelled, and where locks are forbidden. Without the lock, only the hang detection
  // notices the end, some seconds later.
  lockReleased(lock, care.signal).then(onRelease, () => undefined);
  return () => care.abort();
}
