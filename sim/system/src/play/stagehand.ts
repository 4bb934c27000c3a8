import { Broadcasts } from "../browser/broadcast.js";
import { Databases } from "../browser/indexed-db.js";
import { Locks } from "../browser/locks.js";
import { Network } from "../browser/network.js";
import type { Origin } from "../browser/origin.js";
import type { Page } from "../browser/page.js";
import { SharedWorkers } from "../browser/shared-worker.js";
import type { Threads } from "../browser/threads.js";
import type { Uncaught } from "../kernel/realm.js";
import { stage } from "../kernel/stage.js";
import { World } from "../kernel/world.js";
import { Fates } from "../runtime/fates.js";
import { FileServer } from "../actors/file-server.js";
import { SCRIPTS } from "../actors/scripts.js";
import type { Scenario } from "../scenario/scenario.js";
import { Witness } from "../logs/witness.js";

/** The world of one scenario: a browser with its pages, and the servers. */
export interface Scene {
  readonly world: World;
  readonly origin: Origin;
  readonly pages: readonly Page[];
  readonly uncaught: Uncaught[];
}

/** Builds the world of a scenario. */
export function buildScene(scenario: Scenario, threads: Threads): Scene {
  const world = new World(scenario.seed);
  stage.world = world;
  const files = new FileServer(scenario.faults);
  const origin: Origin = {
    isIsolated: scenario.isIsolated === true,
    files,
    locks: new Locks(),
    broadcasts: new Broadcasts(),
    databases: new Databases(),
    network: new Network({ "https://app.example/models/": files.serve }),
    fates: new Fates(scenario.faults, scenario),
    scripts: SCRIPTS,
    sharedWorkers: new SharedWorkers(),
    threads,
    witness: new Witness(),
  };
  const uncaught: Uncaught[] = [];
  const pages = Array.from({ length: scenario.pages }, (_, index) => {
    const page = threads.page();
    page.begin(world, origin, `page${index}`);
    page.onUncaught = (thrown) => uncaught.push(thrown);
    return page;
  });
  return { world, origin, pages, uncaught };
}
