import { openFramebatch } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/** framebatch as it comes. */
export const frame: Lane = {
  name: "frame",
  open: (model, backend) => openFramebatch(model, backend, { batching: { release: "frame" } }),
};
