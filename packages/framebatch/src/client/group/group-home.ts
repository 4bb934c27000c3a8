import { KeptTensors } from "../kept/kept-tensors.js";
import { siteOfWorker } from "../workers/user-worker-site.js";
import type { BuiltInSite, WorkerSite } from "../workers/worker-site.js";
import { GroupWorker } from "./group-worker.js";

/** The worker of a group, one at a time: the first model to open starts it, and the others join it. */
export class GroupHome {
  readonly #userSite: WorkerSite | null;
  readonly #maxMemoryBytes: number | null;
  #worker: GroupWorker | null = null;
  /** What the models keep in the worker. */
  readonly kept: KeptTensors;

  /**
   * @param worker starts the user's own worker; `null` for the worker of this build
   * @param maxKeptBytes see `ModelGroupOptions`
   * @param maxMemoryBytes see there; `null` for no limit
   */
  constructor(worker: (() => Worker) | null, maxKeptBytes: number, maxMemoryBytes: number | null) {
    this.#maxMemoryBytes = maxMemoryBytes;
    this.kept = new KeptTensors(maxKeptBytes);
    this.#userSite = worker === null ? null : siteOfWorker(worker);
  }

  /** Whether the module of the worker is the user's. */
  get hasHandlers(): boolean {
    return this.#userSite !== null;
  }

  /** Size of the WebAssembly memory, in bytes; 0 while there is no worker. */
  get memoryBytes(): number {
    return this.#worker === null || this.#worker.isRetired ? 0 : this.#worker.memoryBytes;
  }

  /** Returns where the workers of a model come from. @param handlers the name of its handlers; `null` if it has none */
  siteFor(builtIn: BuiltInSite, handlers: string | null): WorkerSite {
    const site = this.#userSite ?? builtIn;
    return { ...site, isGroup: true, start: () => this.#current(site).join(handlers) };
  }

  #current(site: WorkerSite): GroupWorker {
    if (this.#worker === null || this.#worker.isRetired) this.#worker = new GroupWorker(site, this.#maxMemoryBytes);
    return this.#worker;
  }
}
