import type { Lane } from "./lane.js";
import { oneByOne, openPeer } from "./peer-session.js";

/**
 * transformers.js in a worker behind Comlink, one item per call. It runs calls one after the other and does not combine
 * them into batches.
 */
export const transformersJs: Lane = {
  name: "transformers-js",
  open: (model, backend) => openPeer(model, backend, oneByOne, newWorker),
};

function newWorker(): Worker {
  return new Worker(new URL("../ort/transformers-worker.ts", import.meta.url), { type: "module" });
}
