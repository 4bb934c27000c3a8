import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import type { ModelState } from "../../client/options/model.js";
import type { ModelGroup, ModelGroupOptions, ModelGroupStats } from "../../client/options/model-group.js";
import { checkGroupOptions } from "./group-checks.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import { MAX_KEPT_BYTES } from "../../kept/kept-messages.js";
import { Suspects } from "../../client/engine/suspects.js";
import { KeptTensors } from "../../kept/page/kept-tensors.js";
import { explainSilence } from "../../client/model/silent-script.js";
import { siteOfWorker } from "../../client/workers/user-worker-site.js";
import type { BuiltInSite, LoadEnd, WorkerSite } from "../../client/workers/worker-site.js";
import { GroupWorker, type MemberEndpoint } from "./group-worker.js";

/** What a group needs of its models. */
interface GroupedModel {
  addEventListener(
    type: "statechange",
    listener: (event: { readonly detail: { readonly state: string } }) => void,
  ): void;
  readonly state: ModelState;
  restart(): Promise<void>;
  dispose(): Promise<void>;
  /** Ends its workers once the batches in flight are answered. Requests wait until `restart`. */
  unload(): Promise<void>;
}

/** Who decides which models of a group stay in memory. */
export interface GroupHub {
  /** Unloads models for one that finds no memory. Returns whether there is more memory now. */
  makeRoom(): Promise<boolean>;
}

/** The models of one worker at a time. The first model to open starts it; the others join it. */
export class Group implements ModelGroup {
  /** The options that all its models have. */
  readonly options: Omit<ModelGroupOptions, "worker" | "maxKeptBytes" | "maxMemoryBytes">;
  readonly maxKeptBytes: number;
  /** `null`: no limit. */
  readonly maxMemoryBytes: number | null;
  /** Starts the user's own worker; `null` for the worker of this build. */
  readonly worker: (() => Worker) | null;
  readonly #models = new Set<GroupedModel>();
  readonly #end = new AbortController();
  #hub: GroupHub | null = null;
  /** Where its models run; `null` before the first one. Set by what loads with that. */
  home: GroupHome | null = null;

  /** @throws INVALID_OPTION when an option has a wrong name or value */
  /** @param options they belong to the group @throws INVALID_OPTION when an option has a wrong name or value */
  constructor(options: ModelGroupOptions) {
    checkGroupOptions(options);
    const { worker = null, maxKeptBytes = MAX_KEPT_BYTES, maxMemoryBytes = null, ...shared } = options;
    this.options = shared;
    this.maxKeptBytes = maxKeptBytes;
    this.maxMemoryBytes = maxMemoryBytes;
    this.worker = worker;
  }

  /** @throws INVALID_OPTION when a value is no group */
  static from(value: unknown): Group {
    if (value instanceof Group) return value;
    throw optionError("group", "a group", value, "pass what createModelGroup() returns");
  }

  /** Aborts when the group is disposed of. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Adds an open model. */
  add(model: GroupedModel): void {
    this.#models.add(model);
    model.addEventListener("statechange", ({ detail }) => {
      if (detail.state === "disposed") this.#models.delete(model);
    });
  }

  /** Gives the group a hub, of which it has one at a time. @throws INVALID_OPTION when it has one */
  joinHub(hub: GroupHub): void {
    if (this.#hub !== null)
      throw optionError(
        "group",
        "a group without a hub",
        this,
        "create a group for each hub, or dispose of the other hub",
      );
    this.#hub = hub;
  }

  leaveHub(): void {
    this.#hub = null;
  }

  /**
   * Makes room for a model that finds no memory: returns whether its hub has unloaded others, or others leave by
   * themselves.
   * @param othersLeft returns whether others leave, once their memory is free
   */
  async makeRoom(othersLeft: () => Promise<boolean>): Promise<boolean> {
    const hasUnloaded = (await this.#hub?.makeRoom()) === true;
    return (await othersLeft()) || hasUnloaded;
  }

  /**
   * Makes one piece of memory that is free, but of no use to a model. Returns `false` without a hub: only that may
   * replace the worker.
   */
  async makeOnePiece(): Promise<boolean> {
    if (this.#hub === null) return false;
    await this.replaceWorker();
    return true;
  }

  /** The part of the memory that models have left behind, in bytes. */
  get releasedBytes(): number {
    return this.home?.releasedBytes ?? 0;
  }

  /**
   * Returns what models have left behind to the system: all go on in a new worker, once the batches in flight are
   * answered. A model that is just being loaded stays in the old worker.
   */
  async replaceWorker(): Promise<void> {
    this.home?.retire();
    const ready = [...this.#models].filter(({ state }) => state === "ready");
    await Promise.all(ready.map((model) => model.unload()));
    const left = ready.filter(({ state }) => state === "unloaded");
    // The state of a model that cannot be loaded again tells so, and its requests.
    await Promise.allSettled(left.map((model) => model.restart()));
  }

  stats(): ModelGroupStats {
    const { memoryBytes = 0, kept } = this.home ?? {};
    return { models: this.#models.size, memoryBytes, keptBytes: kept?.bytes ?? 0 };
  }

  async dispose(): Promise<void> {
    this.#end.abort(
      new FramebatchError("DISPOSED", "expected a group in use, got one that was disposed of; create a new one"),
    );
    await Promise.all([...this.#models].map((model) => model.dispose()));
  }

  [asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

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
 * Repeats a load that finds no memory for as long as others release some. A third one may have taken that meanwhile.
 * Then once more if some was free, as others may have released it just after the load; and once more with that in one
 * piece.
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
