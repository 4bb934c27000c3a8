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
import { MODEL_NAMES, modelFile } from "../runtime/models.js";
import type { Scenario } from "./scenario.js";

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
  const origin: Origin = {
    locks: new Locks(),
    broadcasts: new Broadcasts(),
    databases: new Databases(),
    network: new Network({ "https://app.example/models/": serveModel }),
    fates: new Fates(scenario.faults, scenario),
    sharedWorkers: new SharedWorkers(),
    threads,
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

function serveModel({ url }: { readonly url: string }) {
  const name = MODEL_NAMES.find((model) => url.endsWith(`/${model}.onnx`));
  if (name === undefined) return { status: 404 };
  return {
    status: 200,
    headers: { etag: "v1", "content-type": "application/octet-stream" },
    body: modelFile(name, 1),
    pieces: 2,
  };
}
