import { Suspects } from "../handlers/suspects.js";
import { KeptTensors } from "../kept/kept-tensors.js";
import { siteOfWorker } from "../workers/user-worker-site.js";
import type { BuiltInSite, LoadEnd, WorkerSite } from "../workers/worker-site.js";
import type { Group } from "./group.js";
import { GroupWorker, type MemberEndpoint } from "./group-worker.js";

type HomeOptions = Pick<Group, "worker" | "maxKeptBytes" | "maxMemoryBytes" | "makeRoom" | "makeRoomInOnePiece">;

/** The worker of a group, one at a time: the first model to open starts it, and the others join it. */
export class GroupHome {
  readonly #userSite: WorkerSite | null;
  readonly #group: HomeOptions;
  #worker: GroupWorker | null = null;
  /** What the models keep in the worker. */
  readonly kept: KeptTensors;
  readonly suspects = new Suspects();

  constructor(group: HomeOptions) {
    this.#group = group;
    this.kept = new KeptTensors(group.maxKeptBytes);
    this.#userSite = group.worker === null ? null : siteOfWorker(group.worker);
  }

  /** Size of the WebAssembly memory, in bytes; 0 while there is no worker. */
  get memoryBytes(): number {
    return this.#open?.memoryBytes ?? 0;
  }

  /** The part of it that models have left behind, in bytes. */
  get releasedBytes(): number {
    return this.#open?.releasedBytes ?? 0;
  }

  /** The next model to load starts a new worker. The current one ends with its last model. */
  retire(): void {
    this.#worker = null;
  }

  /** Returns where the workers of a model come from. @param handlers the name of its handlers; `null` if it has none */
  siteFor(builtIn: BuiltInSite, handlers: string | null): WorkerSite {
    const site = this.#userSite ?? builtIn;
    let own: MemberEndpoint | null = null;
    const start = () => (own = this.#current(site).join(handlers));
    const hasRoom = async () => (await own?.hasRoom()) === true;
    const attempts = [() => this.#group.makeRoom(hasRoom), () => this.#group.makeRoomInOnePiece(hasRoom)];
    return { ...site, isGroup: true, start, mayRepeat: repeatForMemory(attempts) };
  }

  /** The worker that models may join; `null` if there is none. */
  get #open(): GroupWorker | null {
    return this.#worker === null || this.#worker.isRetired ? null : this.#worker;
  }

  #current(site: WorkerSite): GroupWorker {
    return (this.#worker = this.#open ?? new GroupWorker(site, this.#group));
  }
}

/** Repeats a load that finds no memory, once after each of `attempts` to make room that says that there may be some. */
function repeatForMemory(attempts: readonly (() => Promise<boolean>)[]): (end: LoadEnd) => Promise<boolean> {
  let made = 0;
  return async (end) => {
    const lacksMemory = end.outcome === "failed" && end.error.code === "OUT_OF_MEMORY";
    const isRepeated = lacksMemory && (await attempts[made]?.()) === true;
    made = isRepeated ? made + 1 : 0;
    return isRepeated;
  };
}
