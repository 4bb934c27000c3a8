import { endWorker } from "../runtime/end-worker.js";
import type { Scene } from "./stagehand.js";
import type { Fault } from "../scenario/scenario.js";

type Strike = Extract<Fault, { readonly on: "time" }>["does"];

/** Something happens to the whole browser, or to a server. */
export function strike({ world, origin }: Scene, what: Strike): void {
  STRIKES[what]({ world, origin });
}

type Struck = Pick<Scene, "world" | "origin">;

const STRIKES: Readonly<Record<Strike, (struck: Struck) => void>> = {
  kill: killOne,
  "lose GPU": loseGpu,
  deploy: ({ origin }) => origin.files.deploy(),
  "change files": ({ origin }) => origin.files.changePicked(),
  "mute shared": ({ origin }) => (origin.sharedWorkers.isMute = true),
  "fill store": ({ origin }) => (origin.databases.faults.quotaBytes = 0),
  "block store": ({ origin }) => (origin.databases.faults.isBlocked = true),
  "abort store": ({ origin }) => (origin.databases.faults.abortShare = 0.5),
  "close store": ({ origin }) => origin.databases.closeAll(),
  evict: ({ origin }) => origin.databases.evict(),
};

/** Ends a worker, as the browser does that needs its memory. */
function killOne({ world, origin: { threads, fates } }: Struck): void {
  const workers = threads.runningWorkers;
  const worker = workers[world.below(workers.length)];
  if (worker === undefined) return;
  fates.fatal += 1;
  endWorker(worker);
}

/** All devices of the browser's GPU process are lost at once. */
function loseGpu({ origin: { threads, fates } }: Struck): void {
  for (const worker of threads.runningWorkers) {
    if (worker.gpu === null) continue;
    fates.fatal += 1;
    worker.gpu.lose();
  }
}
