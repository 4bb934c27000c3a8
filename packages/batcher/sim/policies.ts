import { BASELINES } from "./baselines/index.js";
import { framebatch } from "./ours.js";
import type { Policy } from "./policy.js";

/** Every policy of the table by name, framebatch's first. */
export const POLICIES: Readonly<Record<string, Policy>> = {
  frame: framebatch("frame"),
  idle: framebatch("idle"),
  window: framebatch("window"),
  ...BASELINES,
};
