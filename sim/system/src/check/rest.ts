import type { Scene } from "../play/stagehand.js";
import type { Violation } from "../logs/violation.js";

/** When everything is disposed of and has ended, nothing is left: no timers, locks, workers, listeners, connections. */
export function checkRest({ origin, pages, uncaught }: Scene): Violation[] {
  const alive = pages.filter(({ isEnded, isFrozen }) => !isEnded && !isFrozen);
  const left: Readonly<Record<string, number>> = {
    timers: alive.reduce((sum, { timers }) => sum + timers.size, 0),
    listeners: alive.reduce((sum, { listeners }) => sum + listeners, 0),
    workers: origin.threads.runningWorkers.length,
    [`held locks (${origin.locks.heldNames.join()})`]: origin.locks.heldNames.length,
    "waiting locks": origin.locks.waitingNames.length,
    "broadcast channels": origin.broadcasts.size,
    transactions: origin.databases.transactions,
    requests: origin.network.open,
  };
  const rest = Object.entries(left).filter(([, count]) => count > 0 && alive.length === pages.length);
  return [
    ...rest.map(([name, count]) => ({ rule: "rest", what: `${count} ${name} are left` })),
    ...uncaught.map(({ realm, kind, thrown }) => ({
      rule: "uncaught",
      what: `uncaught ${kind} in ${realm}: ${String(thrown)} ${thrown instanceof Error ? (thrown.stack ?? "") : ""}`,
    })),
  ];
}
