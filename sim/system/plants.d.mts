import type { Change } from "./build.d.mts";

/** A planted bug, named by what goes wrong. */
export interface Plant extends Change {
  readonly name: string;
  /** The file in `plants`; `fuzzed` for those of the batcher, which its own simulator finds. */
  readonly set: string;
  /** The number of the defect that framebatch had, in the list that tests name. */
  readonly defect?: string;
  /** Why no scenario can show it; only for those that the simulation need not find. */
  readonly unseen?: string;
}

/** Reads all planted bugs. */
export function readPlants(): Plant[];
