import type { Policy } from "../policy.js";
import { animationFrame } from "./animation-frame.js";
import { batched } from "./batched.js";
import { bentoMl } from "./bentoml.js";
import { clipper } from "./clipper.js";
import { fixedWindow } from "./fixed-window.js";
import { greedy, off } from "./greedy.js";
import { ray } from "./ray.js";
import { tfShared } from "./tf-shared.js";
import { torchServe } from "./torchserve.js";

/** Every baseline policy, keyed by its name in reports. */
export const BASELINES: Readonly<Record<string, Policy>> = {
  off,
  greedy,
  raf: animationFrame,
  "window-5": fixedWindow(5),
  "window-10": fixedWindow(10),
  "window-50": fixedWindow(50),
  torchserve: torchServe,
  bentoml: bentoMl,
  batched,
  "tf-shared": tfShared,
  ray,
  clipper,
};
