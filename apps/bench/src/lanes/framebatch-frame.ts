import { openFramebatch } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/** framebatch with default options. */
export const frame: Lane = {
  name: "frame",
  open: (model, backend) => openFramebatch(model, backend, { batching: { release: "frame" } }),
};
