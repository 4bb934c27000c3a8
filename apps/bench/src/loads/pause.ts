import type { Random } from "../statistics/random.js";

/** About a frame, in ms. The length is random, so that what follows starts at any time within a frame. */
const PAUSE = { leastMs: 8, mostMs: 24 };

export function pause(random: Random): Promise<void> {
  const pauseMs = PAUSE.leastMs + (PAUSE.mostMs - PAUSE.leastMs) * random();
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
