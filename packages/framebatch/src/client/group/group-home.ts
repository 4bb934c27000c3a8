import { Suspects } from "../handlers/suspects.js";
import { KeptTensors } from "../kept/kept-tensors.js";
import { explainSilence } from "../model/silent-script.js";
import { siteOfWorker } from "../workers/user-worker-site.js";
import type { BuiltInSite, LoadEnd, WorkerSite } from "../workers/worker-site.js";
import type { Group } from "./group.js";
import { GroupWorker, type MemberEndpoint } from "./group-worker.js";

type HomeOptions = Pick<Group, "worker" | "maxKeptBytes" | "maxMemoryBytes" | "makeRoom" | "makeOnePiece">;

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
    this.#userSite = group.worker === null ? null : siteOfWorker(group.worker, explainSilence);
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
    const othersLeft = async () => (await own?.othersLeft()) === true;
    const room: Room = {
      make: () => this.#group.makeRoom(othersLeft),
      hasSpare: () => own?.hasSpare() === true,
      makeOnePiece: () => this.#group.makeOnePiece(),
    };
    return { ...site, isGroup: true, start, mayRepeat: repeatForMemory(room) };
  }

  /** The worker that models may join; `null` if there is none. */
  get #open(): GroupWorker | null {
    return this.#worker === null || this.#worker.isRetired ? null : this.#worker;
  }

  #current(site: WorkerSite): GroupWorker {
    return (this.#worker = this.#open ?? new GroupWorker(site, this.#group));
  }
}

/** How a model that finds no memory comes to some. */
interface Room {
  /** Returns whether others have released some. */
  readonly make: () => Promise<boolean>;
  /** Whether some was free when the model failed. */
  readonly hasSpare: () => boolean;
  readonly makeOnePiece: () => Promise<boolean>;
}

/**
 * Repeats a load that finds no memory for as long as others release some. A third one may have taken that meanwhile. Then once
 * more if some was free, as others may have released it just after the load; and once more with that in one piece.
 */
function repeatForMemory({ make, hasSpare, makeOnePiece }: Room): (end: LoadEnd) => Promise<boolean> {
  const attempts = [async () => hasSpare(), async () => hasSpare() && makeOnePiece()];
  let made = 0;
  return async (end) => {
    const lacksMemory = end.outcome === "failed" && end.error.code === "OUT_OF_MEMORY";
    const isReleased = lacksMemory && (await make());
    const isRepeated = isReleased || (lacksMemory && (await attempts[made]?.()) === true);
    made = isReleased ? Math.max(made, 1) : isRepeated ? made + 1 : 0;
    return isRepeated;
  };
}
