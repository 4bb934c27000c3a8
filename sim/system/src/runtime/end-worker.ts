import type { Realm } from "../kernel/realm.js";

/** Ends a worker. Its page hears of that only if it waits for its lock. */
export function endWorker(worker: Realm): void {
  const { fates, locks } = worker.origin;
  if (!locks.isWatched(worker)) fates.silenced += 1;
  worker.end();
}
