import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { BatchedModel, ModelState } from "../../client/options/model.js";
import type { HubModel, HubModelState } from "./model-hub.js";

/** A model that can free its memory and be loaded again, with its queue and its statistics. */
export interface ReloadableModel extends BatchedModel<unknown, unknown> {
  /** Size of the WebAssembly memory of its workers, in bytes. */
  readonly memoryBytes: number;
  /** Whether requests wait or run. */
  readonly isBusy: boolean;
  /** Ends the workers once the batches in flight are answered. Requests wait until `restart`. */
  unload(): Promise<void>;
  /** Ends the model as `dispose` does. Open and later requests reject with `error`. */
  end(error: FramebatchError): void;
}

/** The news of a model while it is loaded. */
export interface HubModelListener {
  /** Called at each request, before the request is queued. */
  readonly onUse: () => void;
  /** Called after each batch, which may have made the memory grow. */
  readonly onBatch: () => void;
}

/**
 * Loads a model for the first time.
 * @param onUse called at each request, before the request is queued
 * @param signal aborts the load
 */
export type OpenModel = (onUse: () => void, signal: AbortSignal) => Promise<ReloadableModel>;

const HUB_STATES: Readonly<Record<ModelState, HubModelState>> = {
  ready: "READY",
  recovering: "LOADING",
  unloaded: "UNAVAILABLE",
  failed: "UNAVAILABLE",
  disposed: "UNAVAILABLE",
};

/** A registered model. Whether it is in memory, and whether it can be used, its own state says. */
export class HubEntry {
  readonly name: string;
  readonly #open: OpenModel;
  readonly #now: () => number;
  /** The model, once it has been loaded; it stays when its memory is freed. */
  #model: ReloadableModel | null = null;
  #doing: "LOADING" | "UNLOADING" | null = null;
  #reason = "not loaded yet";
  /** Whether the last load has left no model whose state could tell that it failed. */
  #hasFailedToOpen = false;
  #lastUsedMs: number | null = null;
  /** The size when the model was last in memory, in bytes: what it will need again. */
  #knownBytes = 0;

  constructor(name: string, open: OpenModel, now: () => number) {
    this.name = name;
    this.#open = open;
    this.#now = now;
  }

  get model(): ReloadableModel | null {
    return this.#model;
  }

  /** Whether a load has made the model, and nobody has disposed of it since. */
  get isOpen(): boolean {
    return this.#model !== null && this.#model.state !== "disposed";
  }

  /** Whether it is in memory. */
  get isLoaded(): boolean {
    return this.#model?.state === "ready" || this.#model?.state === "recovering";
  }

  /** Size in memory, in bytes. While a worker is being replaced, the size that the model had: it needs that again. */
  get memoryBytes(): number {
    const bytes = this.#model?.memoryBytes ?? 0;
    return this.#model?.state === "recovering" ? Math.max(bytes, this.#knownBytes) : bytes;
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
    return this.#model?.isBusy === true;
  }

  get state(): HubModelState {
    return this.#doing ?? HUB_STATES[this.#model?.state ?? "unloaded"];
  }

  get hasFailed(): boolean {
    return this.isOpen ? this.#model?.state === "failed" : this.#hasFailedToOpen;
  }

  used(): void {
    this.#lastUsedMs = this.#now();
  }

  /**
   * Loads the model, for the first time or again. Makes it anew if it was disposed of, or if the bytes of its first
   * load no longer exist.
   * @param signal aborts the load
   * @throws the errors of `createBatchedModel` or `restart`
   */
  async load(listener: HubModelListener, signal: AbortSignal): Promise<void> {
    this.#doing = "LOADING";
    try {
      if (!(await this.#reload())) await this.#make(listener, signal);
      this.#hasFailedToOpen = false;
      this.#knownBytes = this.memoryBytes;
      this.used();
    } catch (error) {
      this.#hasFailedToOpen = !this.isOpen;
      this.#reason = asError(error).message;
      throw error;
    } finally {
      this.#doing = null;
    }
  }

  /** Frees the memory of the model. @param reason why; a text for people */
  async unload(reason: string): Promise<void> {
    this.#doing = "UNLOADING";
    this.#knownBytes = this.memoryBytes;
    this.#reason = reason;
    try {
      await this.#model?.unload();
    } finally {
      this.#doing = null;
    }
  }

  describe(): HubModel {
    const { name, state, memoryBytes, lastUsedMs } = this;
    return { name, state, reason: state === "UNAVAILABLE" ? this.#reason : "", memoryBytes, lastUsedMs };
  }

  /** Loads the model that there is. Returns false if there is none, or none any more. */
  async #reload(): Promise<boolean> {
    const model = this.#model;
    if (model === null || !this.isOpen) return false;
    try {
      await model.restart();
      return true;
    } catch (error) {
      // Its requests were admitted for bytes that no longer exist, so no other model may answer them.
      if (error instanceof FramebatchError && error.code === "MODEL_INTEGRITY") model.end(error);
      if (this.isOpen) throw error;
      return false;
    }
  }

  async #make({ onUse, onBatch }: HubModelListener, signal: AbortSignal): Promise<void> {
    const model = await this.#open(onUse, signal);
    this.#model = model;
    model.addEventListener("batch", onBatch);
    model.addEventListener("statechange", ({ detail: { state, error } }) => {
      if (state === "failed") this.#reason = asError(error).message;
      if (state === "disposed") this.#reason = "it was disposed of";
    });
  }
}
