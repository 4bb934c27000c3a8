import type { Random } from "../statistics/random.js";

/** About a frame, in ms. The length is random, so that what follows starts at any time within a frame. */
const PAUSE = { leastMs: 8, mostMs: 24 };

/** Returns the time at which the pause was over, in ms: on a busy page, the promise resolves later. */
export async function pause(random: Random): Promise<number> {
  const pauseMs = PAUSE.leastMs + (PAUSE.mostMs - PAUSE.leastMs) * random();
  const dueMs = performance.now() + pauseMs;
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  return dueMs;
}
