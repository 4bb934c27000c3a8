import { realmNow } from "../kernel/stage.js";
import { eventWith, SimMessageEvent, Target } from "../kernel/events.js";
import type { Origin } from "./origin.js";
import type { Lane } from "../kernel/world.js";
import type { Page } from "./page.js";
import { MESSAGE_MS, pairOf, type SimPort } from "./ports.js";
import type { WorkerRealm } from "./worker-realm.js";

/** Usual time until the script of a shared worker has run, in milliseconds. */
const START_MS = 3;

interface Running {
  readonly realm: WorkerRealm;
  readonly life: number;
  readonly connections: Set<object>;
  /** The script runs before pages connect. */
  readonly lane: Lane;
}

/** The shared workers of an origin, by address and name. */
export class SharedWorkers {
  readonly #running = new Map<string, Running>();

  /** The scripts of new ones never run. */
  isMute = false;

  get realms(): WorkerRealm[] {
    return [...this.#running.values()].filter(({ realm, life }) => realm.life === life).map(({ realm }) => realm);
  }

  connect(page: Page, script: string, name: string): { readonly port: SimPort; readonly close: () => void } {
    const key = `${script} ${name}`;
    const worker = this.#find(key) ?? this.#start(page, key, name);
    const [port, far] = pairOf(page, worker.realm);
    const { world } = page;
    world.post(
      worker.realm,
      world.latency(MESSAGE_MS),
      "connect",
      () => {
        worker.realm.dispatchEvent(new SimMessageEvent("connect", { ports: [far] }));
      },
      worker.lane,
    );
    worker.connections.add(port);
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      page.ends.delete(close);
      worker.connections.delete(port);
      if (worker.connections.size === 0 && worker.realm.life === worker.life) worker.realm.end();
    };
    page.ends.add(close);
    return { port, close };
  }

  #find(key: string): Running | null {
    const found = this.#running.get(key);
    return found !== undefined && found.realm.life === found.life ? found : null;
  }

  #start(page: Page, key: string, name: string): Running {
    const { world, origin } = page;
    const realm = origin.threads.worker();
    realm.begin(world, origin, `shared ${name.slice(-4)}`);
    realm.onUncaught = ({ kind, thrown }) => {
      if (kind === "error") realm.dispatchEvent(eventWith("error", { error: thrown }));
    };
    const running = { realm, life: realm.life, connections: new Set<object>(), lane: { atMs: 0, order: 0 } };
    const start = () => {
      if (!this.isMute) realm.start({ sharedName: name, postMessage: () => undefined });
    };
    world.post(realm, world.latency(START_MS), "start", start, running.lane);
    this.#running.set(key, running);
    return running;
  }
}

/** Returns a frame without content, whose window has a `SharedWorker` of its own. Removing the frame closes its connections. */
export function hiddenFrame(page: Page): object {
  const closes: (() => void)[] = [];
  class SimSharedWorker extends Target {
    readonly port: SimPort;

    constructor(address: string, { name }: { readonly name: string }) {
      super();
      const origin: Origin = realmNow().origin;
      const { port, close } = origin.sharedWorkers.connect(page, new URL(address).href, name);
      this.port = port;
      closes.push(close);
    }
  }
  return {
    hidden: false,
    contentWindow: { SharedWorker: SimSharedWorker },
    remove: () => closes.forEach((close) => close()),
  };
}
