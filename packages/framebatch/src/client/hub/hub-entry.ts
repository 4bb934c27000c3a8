import type { BatchedModel } from "../options/model.js";
import type { HubModel, HubModelState } from "./model-hub.js";

/** A model that can free its memory and be loaded again, with its queue and its statistics. */
export interface ReloadableModel extends BatchedModel<unknown, unknown> {
  /** Size of the WebAssembly memory of its workers, in bytes. */
  readonly memoryBytes: number;
  /** Ends the workers once the batches in flight are answered. Requests wait until `restart`. */
  unload(): Promise<void>;
}

/**
 * Loads a model for the first time.
 * @param onUse called at each request, before the request is queued
 */
export type OpenModel = (onUse: () => void) => Promise<ReloadableModel>;

/** A registered model. */
export class HubEntry {
  readonly name: string;
  readonly #open: OpenModel;
  readonly #now: () => number;
  /** The model, once it has been loaded; it stays when its memory is freed. */
  model: ReloadableModel | null = null;
  #doing: "LOADING" | "UNLOADING" | null = null;
  #reason = "not loaded yet";
  #lastUsedMs: number | null = null;
  /** The size when the model was last in memory, in bytes: what it will need again. */
  #knownBytes = 0;

  constructor(name: string, open: OpenModel, now: () => number) {
    this.name = name;
    this.#open = open;
    this.#now = now;
  }

  get isLoaded(): boolean {
    return this.model !== null && this.model.state !== "unloaded" && this.model.state !== "failed";
  }

  /** Size in memory, in bytes. While a worker is being replaced, the size that the model had: it needs that again. */
  get memoryBytes(): number {
    const bytes = this.model?.memoryBytes ?? 0;
    return this.model?.state === "recovering" ? Math.max(bytes, this.#knownBytes) : bytes;
  }

  /** Memory that loading takes, in bytes; 0 if it is in memory, or if that is not known. */
  get neededBytes(): number {
    return this.isLoaded ? 0 : this.#knownBytes;
  }

  get lastUsedMs(): number | null {
    return this.#lastUsedMs;
  }

  /** Whether requests wait or run. */
  get isBusy(): boolean {
    if (this.model === null) return false;
    const { queued, inFlight } = this.model.stats().requests;
    return queued + inFlight > 0;
  }

  get state(): HubModelState {
    return this.#doing ?? (this.isLoaded ? "READY" : "UNAVAILABLE");
  }

  get hasFailed(): boolean {
    return this.model?.state === "failed";
  }

  used(): void {
    this.#lastUsedMs = this.#now();
  }

  /**
   * Loads the model, for the first time or again.
   * @param onUse called at each request, before the request is queued
   * @param onBatch called after each batch, which may have made the memory grow
   * @throws the errors of `createBatchedModel` or `restart`
   */
  async load(onUse: () => void, onBatch: () => void): Promise<void> {
    this.#doing = "LOADING";
    try {
      if (this.model === null) {
        this.model = await this.#open(onUse);
        this.model.addEventListener("batch", onBatch);
      } else await this.model.restart();
      this.#knownBytes = this.memoryBytes;
      this.used();
    } catch (error) {
      this.#reason = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      this.#doing = null;
    }
  }

  async unload(reason: string): Promise<void> {
    this.#doing = "UNLOADING";
    this.#knownBytes = this.memoryBytes;
    await this.model?.unload();
    this.#doing = null;
    this.#reason = reason;
  }

  describe(): HubModel {
    const { name, state, memoryBytes, lastUsedMs } = this;
    return { name, state, reason: state === "UNAVAILABLE" ? this.#reason : "", memoryBytes, lastUsedMs };
  }
}
