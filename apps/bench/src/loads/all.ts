import { closedLoop } from "./closed-loop.js";
import { pointer, scroll, typing } from "./interfaces.js";
import { isolatedBursts } from "./isolated-bursts.js";
import type { Load } from "./load.js";
import { burst, openLoop, scattered } from "./open-loop.js";

/** All loads, in the order of the reports. */
export const LOADS: readonly Load[] = [
  closedLoop(1),
  closedLoop(4),
  closedLoop(16),
  closedLoop(64),
  closedLoop(256),
  isolatedBursts(4),
  isolatedBursts(16),
  isolatedBursts(64),
  openLoop(0.3),
  openLoop(0.7),
  openLoop(0.9),
  openLoop(1.3),
  burst(16),
  burst(64),
  scattered(16),
  typing,
  pointer,
  scroll,
];

/** The loads of the subset `ways`. */
export const WAY_LOADS: readonly Load[] = [closedLoop(1), closedLoop(8), closedLoop(64)];
