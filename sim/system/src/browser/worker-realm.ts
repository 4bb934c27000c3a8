import { Realm } from "../kernel/realm.js";
import type { World } from "../kernel/world.js";
import type { Sources } from "../sources.js";
import { type Gpu, GPU_FLAGS } from "../runtime/gpu.js";
import { simRuntime } from "../runtime/ort.js";
import { eventWith, type SimMessageEvent } from "../kernel/events.js";
import type { Origin } from "./origin.js";
import { commonScope, navigatorOf, ORIGIN, valuesFor } from "./scope.js";
import { Timers } from "./timers.js";

/** The global variable through which a script of ONNX Runtime finds its worker. */
const HANDOVER = "framebatchRuntime";

/** Names that only a part of all workers has. */
const OWN_NAMES = ["onconnect", HANDOVER];

/** The export of framebatch for workers. */
export interface Serve {
  (served: object): void;
  model(name: string, handlers: object): void;
}

/** What the caller's own module does in a worker. */
export type Script = (serve: Serve, realm: Realm) => void;

export interface WorkerTerms {
  /** Name of a shared worker; `null` for a dedicated one. */
  readonly sharedName: string | null;
  /** The script of the caller, if the worker is the caller's own. */
  readonly script?: Script | undefined;
  /** Sends a message to the page. */
  readonly postMessage: (message: unknown, terms?: readonly unknown[]) => void;
}

/** A worker with the worker half of framebatch. */
export class WorkerRealm extends Realm {
  readonly timers: Timers;
  /** The script has run. */
  hasStarted = false;
  /** Sessions that were not released. */
  sessions = 0;
  /** The maps that this life has made. */
  readonly maps: ReadonlyMap<unknown, unknown>[] = [];
  /** The GPU device of its sessions; `null` if they have none. */
  gpu: Gpu | null = null;
  readonly #scope: Record<string, unknown>;
  readonly #sources: Sources;
  readonly #webAssembly = { Memory: memoryClass(), RuntimeError: WebAssembly.RuntimeError };
  #exports: object | null = null;
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
      WebAssembly: this.#webAssembly,
      ...GPU_FLAGS,
      Map: countedMap(this.maps),
      importScript: (address: string) => this.#import(address),
    });
    this.#scope = Object.assign(scope, { globalThis: scope, self: scope });
  }

  override begin(world: World, origin: Origin, name: string): void {
    super.begin(world, origin, name);
    this.hasStarted = false;
    this.sessions = 0;
    this.maps.length = 0;
    this.gpu = null;
  }

  /** Runs the script. */
  start(terms: WorkerTerms): void {
    this.#terms = terms;
    this.hasStarted = true;
    this.timers.begin();
    this.#webAssembly.Memory = memoryClass();
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
    this.#exports ??= worker.code(valuesFor(worker.names, this.#scope));
    // Tables of modules do not grow.
    this.maps.length = 0;
    this.renew();
    // A runtime reads its memory all the time.
    const RuntimeMemory: new () => object = Object(this.#webAssembly.Memory);
    void Reflect.get(new RuntimeMemory(), "buffer");
    const serve: Serve = Object(Reflect.get(this.#exports, "serve"));
    this.#terms?.script?.(serve, this);
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

/** Returns a `Map` that notes each of its instances. */
function countedMap(maps: ReadonlyMap<unknown, unknown>[]): MapConstructor {
  return class<K, V> extends Map<K, V> {
    constructor(entries?: Iterable<readonly [K, V]> | null) {
      super(entries);
      maps.push(this);
    }
  };
}

/** The memory of a runtime: its size counts. */
const HEAP = { byteLength: 5e7 };

/** Stands for `WebAssembly.Memory`, whose prototype the worker half changes. */
function memoryClass(): object {
  return class Memory {
    get buffer(): object {
      return HEAP;
    }
  };
}

/** The worker half changes two built-in prototypes of its realm, which the simulated realms share. */
function withOwnPrototypes(run: () => void): void {
  try {
    run();
  } finally {
    Reflect.deleteProperty(Uint8Array.prototype, "set");
  }
}
