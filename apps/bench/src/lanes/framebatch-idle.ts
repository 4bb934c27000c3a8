import { openFramebatch } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/** framebatch with the release mode `idle`: it never waits while the worker is free. */
export const idle: Lane = {
  name: "idle",
  open: (model, backend) => openFramebatch(model, backend, { batching: { release: "idle" } }),
};
