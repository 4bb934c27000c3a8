import type { Page, Worker } from "@playwright/test";

/**
 * With a `runTimeoutMs` of 10 s, the SDK checks a run with timers of 1 s. Each timer is set when the previous one
 * fires.
 */
export const WATCHED = { runTimeoutMs: 10_000, tickMs: 1000 } as const;

/** More ticks than fit into the timeout. */
const TICKS = 2 + WATCHED.runTimeoutMs / WATCHED.tickMs;

declare global {
  /** Fires all held timers, and returns their number. */
  var comeDue: () => number;
}

/**
 * Returns code for a page or a worker. It holds timers of `ms` milliseconds until the test fires them, so that slow
 * work does not count as hung. The clock is then `ms` milliseconds further, as it is when a timer fires.
 */
export function holdTimers(ms: number): string {
  return `{
    const { setTimeout, clearTimeout } = self;
    const held = new Map();
    let last = 0;
    let aheadMs = 0;
    const now = performance.now.bind(performance);
    performance.now = () => now() + aheadMs;
    self.setTimeout = (callback, delayMs = 0, ...terms) => {
      // Tolerates 5 ms: a delay until a point in time is a little shorter, because time passes before the timer is set.
      if (delayMs > ${ms} || delayMs <= ${ms} - 5) return setTimeout(callback, delayMs, ...terms);
      held.set(--last, () => callback(...terms));
      return last;
    };
    self.clearTimeout = (id) => (held.delete(id) ? undefined : clearTimeout(id));
    self.comeDue = () => {
      const due = [...held.values()];
      held.clear();
      if (due.length > 0) aheadMs += ${ms};
      for (const callback of due) callback();
      return due.length;
    };
  }`;
}

/** Fires enough timers for a run of a silent worker to time out. Each timer fires in its own task. */
export async function letRunsTimeOut(page: Page): Promise<void> {
  await page.evaluate(async (ticks) => {
    for (let tick = 0; tick < ticks; tick += 1) {
      comeDue();
      await new Promise((resolve) => setTimeout(resolve));
    }
  }, TICKS);
}

/** Fires a worker's held timers as soon as it has set one. */
export async function untilDue(worker: Worker): Promise<void> {
  let count = 0;
  while (count === 0) count = await worker.evaluate(() => comeDue());
}
