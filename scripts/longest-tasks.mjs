/**
 * @typedef {object} TraceEvent
 * @property {string} name
 * @property {string} ph
 * @property {number} pid
 * @property {number} tid
 * @property {number} ts start time in microseconds
 * @property {number} [dur] wall-clock time in microseconds
 * @property {number} [tdur] processor time of the thread in microseconds, without other programs
 */

/**
 * Returns the longest task of the page's main thread in each round, in milliseconds of processor time, or of wall-clock
 * time where the trace has no other. The page marks the start and the end of each round with `performance.mark("start")`
 * and `performance.mark("end")`. Parts of tasks count too, since the trace lacks the task itself if it is part of another
 * one.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {import("@playwright/test").Page} page
 * @param {() => Promise<void>} run
 * @returns {Promise<number[]>}
 */
export async function longestTasks(browser, page, run) {
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
  await run();
  const trace = await browser.stopTracing();
  /** @type {{ traceEvents: TraceEvent[] }} */
  const { traceEvents: events } = JSON.parse(trace.toString());
  const starts = events.filter(({ name }) => name === "start");
  const ends = events.filter(({ name }) => name === "end");
  return starts.map((start, round) => {
    const tasks = events.filter(
      ({ ph, pid, tid, ts }) =>
        ph === "X" && pid === start.pid && tid === start.tid && ts >= start.ts && ts <= (ends[round]?.ts ?? 0),
    );
    return Math.max(...tasks.map(({ dur, tdur }) => (tdur ?? dur ?? Infinity) / 1000));
  });
}
