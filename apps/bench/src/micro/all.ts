import type { MicroRow } from "../results.js";
import type { RunSpec } from "../spec.js";
import type { Random } from "../statistics/random.js";
import { measureEnqueue } from "./enqueue.js";

/** Measures costs that need neither a model nor a backend. Runs once, on the WASM page. */
export function runMicro({ only, backend, subset }: RunSpec, random: Random): Promise<MicroRow[]> {
  const wanted = subset !== "ways" && backend === "wasm" && "micro/enqueue".includes(only);
  return wanted ? measureEnqueue(random) : Promise.resolve([]);
}
