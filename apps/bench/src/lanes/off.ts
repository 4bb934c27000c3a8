import { openFramebatch } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/** framebatch with batching off: each call runs alone in the same kind of worker. */
export const off: Lane = {
  name: "off",
  open: (model, backend) => openFramebatch(model, backend, { batching: false }),
};
