import type { Browser, Page } from "@playwright/test";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Start time, and processor time of the thread, in microseconds. Processor time excludes other programs. */
  readonly ts: number;
  readonly tdur?: number;
}

/**
 * Returns the longest task of the page's main thread in each round, in milliseconds of processor time. The page marks
 * the start and the end of each round with `performance.mark("start")` and `performance.mark("end")`.
 */
export async function longestTasks(browser: Browser, page: Page, run: () => Promise<void>): Promise<number[]> {
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
  await run();
  const trace = await browser.stopTracing();
  const { traceEvents: events }: { traceEvents: TraceEvent[] } = JSON.parse(trace.toString());
  const starts = events.filter(({ name }) => name === "start");
  const ends = events.filter(({ name }) => name === "end");
  return starts.map((start, round) => {
    const isInRound = ({ pid, tid, ts }: TraceEvent) =>
      pid === start.pid && tid === start.tid && ts >= start.ts && ts <= (ends[round]?.ts ?? 0);
    const tasks = events.filter((event) => event.ph === "X" && event.name.endsWith("RunTask") && isInRound(event));
    return Math.max(...tasks.map(({ tdur }) => (tdur ?? Infinity) / 1000));
  });
}
