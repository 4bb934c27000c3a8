import { dataloader, window10 } from "./dataloader.js";
import { frame } from "./framebatch-frame.js";
import { handWritten } from "./hand-written.js";
import { idle } from "./framebatch-idle.js";
import { instances2 } from "./framebatch-instances.js";
import { windowed } from "./framebatch-window.js";
import { limit } from "./limit.js";
import type { Lane } from "./lane.js";
import { off } from "./off.js";
import { ortComlink } from "./ort-comlink.js";
import { ortMain } from "./ort-main.js";
import { ortProxy } from "./ort-proxy.js";
import { pacer } from "./pacer.js";
import { transformersJs } from "./transformers-js.js";
import { WAY_LANES } from "./ways.js";

/** All lanes, in the order of the reports. */
export const LANES: readonly Lane[] = [
  frame,
  idle,
  windowed,
  off,
  ortMain,
  ortProxy,
  ortComlink,
  transformersJs,
  dataloader,
  handWritten,
  window10,
  pacer,
  limit,
  instances2,
  ...WAY_LANES,
];

/** Returns the lane of this name. @throws if there is none */
export function laneNamed(name: string): Lane {
  const lane = LANES.find((each) => each.name === name);
  if (lane === undefined) throw new Error(`There is no lane ${name}.`);
  return lane;
}
