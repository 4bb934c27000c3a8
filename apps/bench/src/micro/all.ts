import type { MicroRow } from "../results.js";
import type { RunSpec } from "../spec.js";
import type { Random } from "../statistics/random.js";
import { measureEnqueue } from "./enqueue.js";

/** Costs that need no model, and no backend: measured once, in the page of the first one. */
export function runMicro({ only, backend }: RunSpec, random: Random): Promise<MicroRow[]> {
  const wanted = backend === "wasm" && "micro/enqueue".includes(only);
  return wanted ? measureEnqueue(random) : Promise.resolve([]);
}
