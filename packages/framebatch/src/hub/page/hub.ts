import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { OpenSet } from "@framebatch/batcher/queue/request.js";
import { optionError, quoteNames } from "@framebatch/batcher/errors/option-errors.js";
import type { BatchedModel, ItemOf, ModelTypes, OutputsOf, UnknownModel } from "../../client/options/model.js";
import type { ModelSource, SourceByProvider } from "../../client/options/model-source.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import type { Group } from "../../groups/page/group.js";
import { HubEntry, type OpenModel } from "./hub-entry.js";
import type { HubHealth, HubModel, HubModelOptions, HubStats, ModelHub } from "./model-hub.js";

/** What a hub takes from its surroundings. */
export interface HubHost {
  readonly now: () => number;
  /** Checks the source and the options of a model, and returns what loads it. @throws INVALID_OPTION */
  readonly opener: (source: ModelSource | SourceByProvider, options: HubModelOptions) => OpenModel;
  /** The group of all models; `null` if each has a worker of its own. */
  readonly group: HubGroup | null;
}

/** What a hub needs of its group. */
type HubGroup = Pick<Group, "stats" | "releasedBytes" | "replaceWorker" | "joinHub" | "leaveHub">;

/** What models may leave behind in the worker of a group before the hub replaces it, as a part of the budget. */
const MAX_RELEASED = 1 / 4;

/** Loads and unloads models one at a time, so that the memory of each is known before the next. */
export class Hub implements ModelHub {
  readonly #host: HubHost;
  readonly #budgetBytes: number;
  readonly #entries = new Map<string, HubEntry>();
  /** The loads in progress or waiting, by entry. */
  readonly #loading = new Map<HubEntry, Promise<void>>();
  #tail: Promise<unknown> = Promise.resolve();
  #loads = 0;
  #unloads = 0;
  /** Whether a batch has run whose growth the hub has not looked at yet. */
  #isTrimming = false;
  /** Settles when the hub is disposed of; `null` before. */
  #disposed: Promise<void> | null = null;
  /** Aborts when the hub is disposed of, which ends the load in progress. */
  readonly #ended = new AbortController();
  /** Rejects the calls that wait. */
  readonly #open = new OpenSet<(error: unknown) => void>();

  constructor(host: HubHost, budgetBytes: number) {
    this.#host = host;
    this.#budgetBytes = budgetBytes;
    host.group?.joinHub({ makeRoom: () => this.#makeAllRoom() });
  }

  register(name: string, source: ModelSource | SourceByProvider, options: HubModelOptions = {}): void {
    this.#ended.signal.throwIfAborted();
    if (typeof name !== "string" || name === "")
      throw optionError("name", "a string of at least one character", name, 'write register("digits", url)');
    if (this.#entries.has(name)) throw optionError("name", "a new name", name, "register each model once");
    this.#entries.set(name, new HubEntry(name, this.#host.opener(source, options), this.#host.now));
  }

  get<Model extends ModelTypes<Model> = UnknownModel>(
    name: string,
  ): Promise<BatchedModel<ItemOf<Model>, OutputsOf<Model>>>;
  get<Input, Output>(name: string): Promise<BatchedModel<Input, Output>>;
  async get(name: string): Promise<BatchedModel<unknown, unknown>> {
    const entry = this.#entryOf(name);
    for (;;) {
      // A model that the hub loads again is not given out before: its file may have changed, and then it ends.
      if (!entry.isLoaded || this.#loading.has(entry)) await this.#untilEnded(this.#load(entry));
      // A caller that shares the model may have disposed of it again by now.
      if (entry.model !== null && entry.isOpen) return entry.model;
    }
  }

  async unload(name: string): Promise<void> {
    const entry = this.#entryOf(name);
    const unloaded = this.#next(() => this.#unload(entry, "unloaded as asked"));
    await this.#untilEnded(unloaded.then(() => this.#next(() => this.#returnReleased())));
  }

  models(): HubModel[] {
    return [...this.#entries.values()].map((entry) => entry.describe());
  }

  health(): HubHealth {
    const entries = [...this.#entries.values()];
    const live = !this.#ended.signal.aborted;
    return {
      live,
      ready: live && entries.every(({ hasFailed }) => !hasFailed),
      models: Object.fromEntries(entries.map(({ name, model }) => [name, model?.state === "ready"])),
    };
  }

  stats(): HubStats {
    const opened = [...this.#entries.values()].flatMap(({ name, model }) => (model === null ? [] : [{ name, model }]));
    const models = Object.fromEntries(opened.map(({ name, model }) => [name, model.stats()]));
    const { memoryBytes } = this.#host.group?.stats() ?? { memoryBytes: this.#usedBytes };
    return { memoryBytes, loads: this.#loads, unloads: this.#unloads, models };
  }

  /** A later call waits for the same end: the group may have another hub by then. */
  dispose(): Promise<void> {
    return (this.#disposed ??= this.#dispose());
  }

  async #dispose(): Promise<void> {
    const { signal } = this.#ended;
    this.#ended.abort(
      new FramebatchError("DISPOSED", "expected a hub in use, got one that was disposed of; create a new one"),
    );
    for (const reject of this.#open) reject(signal.reason);
    for (const { model } of this.#entries.values()) await model?.dispose();
    this.#host.group?.leaveHub();
  }

  [asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /**
   * The memory that counts towards the budget, in bytes: not what models have left for others in the worker of a group.
   */
  get #usedBytes(): number {
    const ofModels = [...this.#entries.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    const { group } = this.#host;
    return group === null ? ofModels : Math.max(ofModels, group.stats().memoryBytes - group.releasedBytes);
  }

  get #hasReleasedMuch(): boolean {
    const { group } = this.#host;
    return group !== null && group.releasedBytes > MAX_RELEASED * this.#budgetBytes;
  }

  /** Settles as `call` does. Rejects as soon as the hub is disposed of. */
  #untilEnded(call: Promise<void>): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#open.add(reject);
      void call.then(resolve, reject).then(() => this.#open.delete(reject));
    });
  }

  #entryOf(name: string): HubEntry {
    this.#ended.signal.throwIfAborted();
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    throw optionError("name", `one of ${quoteNames([...this.#entries.keys()])}`, name, "register the model first");
  }

  /** Loads a model that is not in memory. Calls meanwhile share the load. @throws the errors of loading */
  #load(entry: HubEntry): Promise<void> {
    const current = this.#loading.get(entry);
    if (current !== undefined) return current;
    const load = this.#next(() => this.#loadNow(entry)).finally(() => this.#loading.delete(entry));
    void this.#next(() => this.#returnReleased());
    this.#loading.set(entry, load);
    return load;
  }

  async #loadNow(entry: HubEntry): Promise<void> {
    const { signal } = this.#ended;
    // A model may be unloaded again before the others have made room for it. Its requests then wait for this load.
    do {
      signal.throwIfAborted();
      if (entry.isLoaded) return;
      await this.#makeRoom(entry);
      await entry.load({ onUse: () => this.#used(entry), onBatch: () => this.#ran(entry) }, signal);
      this.#loads += 1;
      if (signal.aborted) return entry.model?.dispose();
      // Only now is the size of a model known that was never loaded before.
      await this.#makeRoom(entry);
    } while (!entry.isLoaded && entry.isBusy);
  }

  /** A request has arrived. If its model is not in memory, the request waits in the model's queue. */
  #used(entry: HubEntry): void {
    entry.used();
    // A failed load is reported by the state of the model, and by its requests.
    if (entry.model?.state === "unloaded") this.#load(entry).catch(() => undefined);
  }

  /** A batch has run. If it has taken more memory than the budget leaves, other models make room. */
  #ran(entry: HubEntry): void {
    if (this.#isTrimming || (this.#usedBytes <= this.#budgetBytes && !this.#hasReleasedMuch)) return;
    this.#isTrimming = true;
    const room = this.#next(() => this.#makeRoom(entry)).then(() => this.#next(() => this.#returnReleased()));
    void room.finally(() => (this.#isTrimming = false));
  }

  /** Unloads models until `entry` fits into the budget, or no other is in memory. */
  async #makeRoom(entry: HubEntry): Promise<void> {
    while (this.#usedBytes + entry.neededBytes > this.#budgetBytes) {
      const victim = this.#idleForLongest(entry);
      if (victim === undefined) return;
      await this.#unload(victim, `unloaded to make room for "${entry.name}"`);
    }
  }

  /** The loaded model other than `entry` to unload first: an idle one, the least recently used. */
  #idleForLongest(entry: HubEntry): HubEntry | undefined {
    const loaded = [...this.#entries.values()].filter((other) => other !== entry && other.isLoaded);
    const idle = loaded.filter(({ isBusy }) => !isBusy);
    const lastUse = ({ lastUsedMs }: HubEntry) => lastUsedMs ?? -Infinity;
    return (idle.length > 0 ? idle : loaded).toSorted((a, b) => lastUse(a) - lastUse(b))[0];
  }

  async #unload(entry: HubEntry, reason: string): Promise<void> {
    if (!entry.isLoaded) return;
    await entry.unload(reason);
    this.#unloads += 1;
    // Requests that were queued meanwhile wait for the model.
    if (entry.isBusy) this.#load(entry).catch(() => undefined);
  }

  /**
   * Unloads every model that runs, for one of the group that finds no memory. Called while that is being loaded,
   * possibly by the current task, so this is no task of its own. A model that is being loaded, which may wait for this,
   * stays.
   */
  async #makeAllRoom(): Promise<boolean> {
    const ready = [...this.#entries.values()].filter(({ model }) => model?.state === "ready");
    for (const entry of ready) await this.#unload(entry, "unloaded because the group had no memory left");
    return ready.length > 0;
  }

  /** Replaces the worker of the group if models have left much memory behind. */
  async #returnReleased(): Promise<void> {
    const { group } = this.#host;
    if (group === null || !this.#hasReleasedMuch || this.#ended.signal.aborted) return;
    const loaded = [...this.#entries.values()].filter(({ isLoaded }) => isLoaded);
    for (const entry of loaded) await entry.unload("unloaded to replace the worker of the group");
    await group.replaceWorker();
    // Its requests and its state report a model that cannot be loaded again.
    for (const entry of loaded) await this.#loadNow(entry).catch(() => undefined);
  }

  /** Runs a task after all earlier ones. */
  #next(task: () => Promise<void>): Promise<void> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
