import { Threads } from "../src/browser/threads.js";
import { catchUncaught } from "../src/kernel/uncaught.js";
import { compileSources } from "../src/sources.js";
import { bundleHalves } from "../build.mjs";

/** Bundles the working tree, with text of one file replaced if given, and returns what its threads are made of. */
export async function threadsOf(change?: {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}): Promise<Threads> {
  catchUncaught();
  return new Threads(compileSources(await bundleHalves(undefined, change)));
}
