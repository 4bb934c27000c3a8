import { everyMillisecond } from "../loads/ticks.js";
import { seededRandom } from "../statistics/random.js";

/** Duration of a step of live audio, in ms. */
export const STEP_MS = 32;

/** Runs the next step of a stream. */
export type Step = (stream: number) => Promise<unknown>;

/**
 * Asks for a step of each stream every 32 ms. Streams begin at different times within a step. Returns the latencies of all
 * steps, in ms, from the time at which each was due.
 */
export async function askLive(
  step: Step,
  { streams, ms, seed }: { readonly streams: number; readonly ms: number; readonly seed: number },
  tick = everyMillisecond,
): Promise<readonly number[]> {
  const random = seededRandom(seed);
  const startMs = performance.now();
  const due = Array.from({ length: streams }, () => startMs + random() * STEP_MS);
  const open: Promise<number>[] = [];
  const ask = async (stream: number, dueMs: number): Promise<number> => {
    await step(stream);
    return performance.now() - dueMs;
  };
  const askDue = (nowMs: number): void => {
    for (const [stream, dueMs] of due.entries()) {
      for (let at = dueMs; at <= nowMs; at += STEP_MS) {
        due[stream] = at + STEP_MS;
        open.push(ask(stream, at));
      }
    }
  };
  await new Promise<void>((resolve) => {
    const stop = tick(() => {
      const nowMs = performance.now();
      askDue(Math.min(nowMs, startMs + ms));
      if (nowMs < startMs + ms) return;
      stop();
      resolve();
    });
  });
  return Promise.all(open);
}
