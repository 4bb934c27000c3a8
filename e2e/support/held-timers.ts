import type { Page, Worker } from "@playwright/test";

/** The SDK watches a run that it gives ten seconds by timers of one second, each set when the one before has come. */
export const WATCHED = { runTimeoutMs: 10_000, tickMs: 1000 } as const;

/** More timers of a watch than fit into its time. */
const TICKS = 2 + WATCHED.runTimeoutMs / WATCHED.tickMs;

declare global {
  /** Has the timers come that are held, and returns how many there were. */
  var comeDue: () => number;
}

/**
 * Code for a page or a worker whose timers of `ms` milliseconds are held until a test has them come: then nothing that takes
 * its time is taken for something that never ends.
 */
export function holdTimers(ms: number): string {
  return `{
    const { setTimeout, clearTimeout } = self;
    const held = new Map();
    let last = 0;
    self.setTimeout = (callback, delayMs = 0, ...terms) => {
      // A timer for a point in time is set a moment later than that was reckoned.
      if (delayMs > ${ms} || delayMs <= ${ms} - 5) return setTimeout(callback, delayMs, ...terms);
      held.set(--last, () => callback(...terms));
      return last;
    };
    self.clearTimeout = (id) => (held.delete(id) ? undefined : clearTimeout(id));
    self.comeDue = () => {
      const due = [...held.values()];
      held.clear();
      for (const callback of due) callback();
      return due.length;
    };
  }`;
}

/** Has a page's watch of runs find its workers silent, if they are: each timer comes in a task of its own. */
export async function letRunsTimeOut(page: Page): Promise<void> {
  await page.evaluate(async (ticks) => {
    for (let tick = 0; tick < ticks; tick += 1) {
      comeDue();
      await new Promise((resolve) => setTimeout(resolve));
    }
  }, TICKS);
}

/** Has a worker's timers come as soon as it has set one. */
export async function untilDue(worker: Worker): Promise<void> {
  let count = 0;
  while (count === 0) count = await worker.evaluate(() => comeDue());
}
