import type { Broadcasts } from "./broadcast.js";
import type { Databases } from "./indexed-db.js";
import type { Locks } from "./locks.js";
import type { Network } from "./network.js";
import type { FileServer } from "../actors/file-server.js";
import type { Fates } from "../runtime/fates.js";
import type { Script } from "./worker-realm.js";
import type { SharedWorkers } from "./shared-worker.js";
import type { Threads } from "./threads.js";
import type { Witness } from "../logs/witness.js";

/** What all realms of an origin share in one scenario. */
export interface Origin {
  /** Whether its pages are cross-origin isolated, so that they share memory with their workers. */
  readonly isIsolated: boolean;
  readonly locks: Locks;
  readonly broadcasts: Broadcasts;
  readonly databases: Databases;
  readonly network: Network;
  readonly files: FileServer;
  readonly fates: Fates;
  /** The scripts of the caller's own workers, by their addresses. */
  readonly scripts: ReadonlyMap<string, Script>;
  readonly sharedWorkers: SharedWorkers;
  readonly threads: Threads;
  readonly witness: Witness;
}
