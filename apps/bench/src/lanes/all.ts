import { frame } from "./framebatch-frame.js";
import { idle } from "./framebatch-idle.js";
import { limit } from "./limit.js";
import type { Lane } from "./lane.js";
import { off } from "./off.js";
import { ortMain } from "./ort-main.js";

/** Every lane, in the order in which reports show them. */
export const LANES: readonly Lane[] = [frame, idle, off, ortMain, limit];
