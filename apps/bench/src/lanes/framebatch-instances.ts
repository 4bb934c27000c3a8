import { openFramebatch } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/** The lane `idle` with two workers. */
export const instances2: Lane = {
  name: "instances-2",
  open: (model, backend) => openFramebatch(model, backend, { batching: { release: "idle" }, instances: 2 }),
};
