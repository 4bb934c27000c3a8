import type { Lane } from "./lane.js";
import { oneByOne, openPeer } from "./peer-session.js";

/** onnxruntime-web in a worker behind Comlink, one item per call and one run at a time. */
export const ortComlink: Lane = {
  name: "ort-comlink",
  open: (model, backend) => openPeer(model, backend, oneByOne),
};
