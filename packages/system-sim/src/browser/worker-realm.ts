import { Realm } from "../kernel/realm.js";
import type { World } from "../kernel/world.js";
import type { Sources } from "../sources.js";
import { simRuntime } from "../runtime/ort.js";
import { eventWith, type SimMessageEvent } from "./events.js";
import type { Origin } from "./origin.js";
import { commonScope, navigatorOf, ORIGIN, valuesFor } from "./scope.js";
import { Timers } from "./timers.js";

/** Stands for `WebAssembly.Memory`, whose prototype the worker half changes. */
class Memory {
  readonly buffer = new ArrayBuffer(0);
}

/** The global variable through which a script of ONNX Runtime finds its worker. */
const HANDOVER = "framebatchRuntime";

/** Names that only a part of all workers has. */
const OWN_NAMES = ["onconnect", HANDOVER];

export interface WorkerTerms {
  /** Name of a shared worker; `null` for a dedicated one. */
  readonly sharedName: string | null;
  /** Sends a message to the page. */
  readonly postMessage: (message: unknown, terms?: readonly unknown[]) => void;
}

/** A worker with the worker half of framebatch. */
export class WorkerRealm extends Realm {
  readonly timers: Timers;
  /** The script has run. */
  hasStarted = false;
  readonly #scope: Record<string, unknown>;
  readonly #sources: Sources;
  #terms: WorkerTerms | null = null;

  constructor(sources: Sources) {
    super();
    this.#sources = sources;
    this.timers = new Timers(this, () => false);
    const scope = commonScope(this, this.timers);
    Object.assign(scope, {
      navigator: navigatorOf(this),
      location: new URL(`${ORIGIN}/framebatch.worker.js`),
      postMessage: (message: unknown, terms?: readonly unknown[]) => this.#terms?.postMessage(message, terms),
      importScript: (address: string) => this.#import(address),
      WebAssembly: { Memory, RuntimeError: WebAssembly.RuntimeError },
    });
    this.#scope = Object.assign(scope, { globalThis: scope, self: scope });
  }

  override begin(world: World, origin: Origin, name: string): void {
    super.begin(world, origin, name);
    this.hasStarted = false;
  }

  /** Runs the script. */
  start(terms: WorkerTerms): void {
    this.#terms = terms;
    this.hasStarted = true;
    this.timers.begin();
    for (const name of OWN_NAMES) Reflect.deleteProperty(this.#scope, name);
    if (terms.sharedName !== null) Object.assign(this.#scope, { onconnect: null, name: terms.sharedName });
    withOwnPrototypes(() => this.#evaluate());
  }

  override reportRejection(thrown: unknown): void {
    const event = eventWith("unhandledrejection", { reason: thrown });
    if (this.dispatchEvent(event)) super.reportRejection(thrown);
  }

  hear(event: SimMessageEvent): void {
    this.dispatchEvent(event);
  }

  #evaluate(): void {
    const { worker } = this.#sources;
    worker.code(valuesFor(worker.names, this.#scope));
  }

  #import(address: string): Promise<void> {
    const { world, life } = this;
    return new Promise((resolve, reject) => {
      world.reply(this, world.latency(2), `import ${address}`, () => {
        const handover = this.#scope[HANDOVER];
        if (typeof handover !== "object" || handover === null || this.life !== life)
          return reject(new TypeError("failed to import"));
        if (Reflect.get(handover, "runtime") === null) Reflect.set(handover, "runtime", simRuntime(this));
        resolve();
      });
    });
  }
}

/** The worker half changes two built-in prototypes of its realm, which the simulated realms share. */
function withOwnPrototypes(run: () => void): void {
  try {
    run();
  } finally {
    Reflect.deleteProperty(Uint8Array.prototype, "set");
  }
}
