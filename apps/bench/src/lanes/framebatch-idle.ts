import { openFramebatch } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/** framebatch, never waiting while the worker is free. */
export const idle: Lane = {
  name: "idle",
  open: (model, backend) => openFramebatch(model, backend, { batching: { release: "idle" } }),
};
