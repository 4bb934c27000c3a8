import type { Outcome } from "./ledger.js";
import type { ItemSpec } from "../scenario/scenario.js";

/** What has come of one text, as its `result` tells: of one that is read, after its loop. */
export interface TextLog {
  readonly item: ItemSpec;
  /** It waits for its encoder. */
  readonly isKept: boolean;
  /** The largest size of its caches and those of others that its model may have, in bytes. */
  readonly maxCacheBytes: number;
  /** How often `result` has settled. */
  settlements: number;
  outcome: Outcome | null;
  settledAtMs: number | null;
}
