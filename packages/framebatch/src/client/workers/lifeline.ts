import { lockReleased } from "../page/host.js";

/**
 * Calls back as soon as nobody holds `lock`, a Web Lock that a worker holds for life: a worker that closes itself, or that the
 * browser ends, tells nobody. Returns how to stop caring.
 */
export function whenReleased(lock: string, onRelease: () => void): () => void {
  const care = new AbortController();
  // It rejects when we stop caring, and where locks are forbidden; then the silence of the worker tells, some seconds later.
  lockReleased(lock, care.signal).then(onRelease, () => undefined);
  return () => care.abort();
}
