import { dataloader, window10 } from "./dataloader.js";
import { frame } from "./framebatch-frame.js";
import { idle } from "./framebatch-idle.js";
import { windowed } from "./framebatch-window.js";
import { limit } from "./limit.js";
import type { Lane } from "./lane.js";
import { off } from "./off.js";
import { ortMain } from "./ort-main.js";
import { pacer } from "./pacer.js";

/** Every lane, in the order in which reports show them. */
export const LANES: readonly Lane[] = [frame, idle, windowed, off, ortMain, dataloader, window10, pacer, limit];
