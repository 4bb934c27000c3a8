import { LANES } from "./plan.js";

/** What the documentation calls the lanes. */
const NAMES: Readonly<Record<string, string>> = {
  frame: "framebatch",
  off: "framebatch, `batching: false`",
  "ort-main": "onnxruntime-web on the page's thread",
  "ort-comlink": "onnxruntime-web behind Comlink",
  "transformers-js": "transformers.js in a worker",
  dataloader: "DataLoader and a worker",
  "hand-written": "40 lines by hand and a worker",
};

export function nameOfLane(lane: string): string {
  return NAMES[lane] ?? lane;
}

/** Returns what has a lane in the order of the plan. */
export function inOrder<Laned extends { readonly lane: string }>(all: readonly Laned[]): Laned[] {
  return all.toSorted((a, b) => LANES.indexOf(a.lane) - LANES.indexOf(b.lane));
}
