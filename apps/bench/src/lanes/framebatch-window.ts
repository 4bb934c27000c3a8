import { openFramebatch } from "./framebatch-lane.js";
import type { Lane } from "./lane.js";

/** framebatch with the release mode `window`: a fixed window of 10 ms, the default. */
export const windowed: Lane = {
  name: "window",
  open: (model, backend) => openFramebatch(model, backend, { batching: { release: "window" } }),
};
