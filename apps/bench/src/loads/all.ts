import { closedLoop } from "./closed-loop.js";
import type { Load } from "./load.js";

/** Every load, in the order in which reports show them. */
export const LOADS: readonly Load[] = [closedLoop(1), closedLoop(16), closedLoop(256)];
