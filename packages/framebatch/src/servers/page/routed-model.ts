import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Cancel } from "@framebatch/host/clock.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Origin } from "@framebatch/batcher/queue/request.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { Outage } from "@framebatch/remote/router/outage.js";
import type { Router } from "@framebatch/remote/router/router.js";
import type { HybridModel, HybridModelStats, ModelState, RemoteMode } from "../../client/options/model.js";
import type { ExecutionProvider } from "../../client/options/options.js";
import type { WorkerBackedModel } from "../../client/model/worker-backed-model.js";
import type { ModelEventTarget } from "../../client/model/model-events.js";
import { type ModelBackend, type ModelParts, TensorModel } from "../../client/model/page-model.js";
import type { ServerBackedModel } from "./create-remote-model.js";

/** The model in this page's workers. */
export type DeviceModel = WorkerBackedModel<Item, PreparedItem, Outputs>;
type TensorRouter = Router<PreparedItem, Outputs>;

/** What the two sides of a hybrid model share. */
export interface HybridParts {
  readonly mode: RemoteMode;
  readonly outage: Outage;
  readonly events: ModelEventTarget;
  /** Ends what is still loading. */
  readonly stop: AbortController;
}

/** Loads the model on each side that the mode uses. While a side loads it, a further call waits for the same end. */
type OpenSides = Partial<Readonly<Record<Origin, () => Promise<void>>>>;

/** The sides of a hybrid model, as far as they have the model. */
export class HybridSides implements ModelBackend {
  readonly #parts: HybridParts;
  #device: DeviceModel | null = null;
  #server: ServerBackedModel | null = null;
  #state: ModelState = "ready";
  readonly #listeners = new Set<() => void>();
  /** Called by `restart` for the sides that do not have the model. */
  open: OpenSides = {};

  constructor(parts: HybridParts) {
    this.#parts = parts;
  }

  get device(): DeviceModel | null {
    return this.#device;
  }

  get server(): ServerBackedModel | null {
    return this.#server;
  }

  /** The model is ready if one side is. A server counts as ready until a request shows otherwise. */
  get state(): ModelState {
    const device = this.#device;
    const isServed = this.#server !== null && (this.#parts.outage.error === null || device === null);
    return device === null || isServed ? "ready" : device.state;
  }

  setDevice(device: DeviceModel): void {
    this.#device = device;
    this.#forward(device);
    device.addEventListener("statechange", ({ detail }) => this.changed(detail.error));
    this.changed(null);
  }

  setServer(server: ServerBackedModel): void {
    this.#server = server;
    this.#forward(server);
    this.changed(null);
  }

  /** Calls `callback` whenever a side may have become ready or has failed, until cancelled. */
  listen(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  /** Reports a change of the state. @param error what caused it; `null` if nothing failed */
  changed(error: FramebatchError | null): void {
    for (const callback of this.#listeners) callback();
    const { state } = this;
    if (state === this.#state || this.#parts.stop.signal.aborted) return;
    this.#state = state;
    this.#parts.events.dispatch("statechange", { state, error });
  }

  /**
   * Restarts both sides, and loads the model on a side that does not have it.
   * @throws the error of the device, or else of the server, when neither is ready again
   */
  async restart(): Promise<void> {
    const device = this.#device === null ? this.open.device?.() : this.#device.restart();
    const server = this.#server === null ? this.open.server?.() : this.#restartServer(this.#server);
    const ends = await Promise.allSettled([device, server].filter((end) => end !== undefined));
    const failures = ends.filter((end) => end.status === "rejected");
    if (failures[0] !== undefined && failures.length === ends.length) throw failures[0].reason;
  }

  /** @param reason rejects what is still loading */
  dispose(reason: unknown): void {
    this.#parts.stop.abort(reason);
    void this.#device?.dispose();
    void this.#server?.dispose();
  }

  async #restartServer(server: ServerBackedModel): Promise<void> {
    const opened = this.#parts.outage.opening();
    await server.restart();
    opened();
  }

  #forward(side: DeviceModel | ServerBackedModel): void {
    const { events } = this.#parts;
    side.addEventListener("batch", ({ detail }) => events.dispatch("batch", detail));
    side.addEventListener("error", ({ detail }) => events.dispatch("error", detail));
  }
}

/** A `HybridModel`: the page's side. */
export class RoutedModel extends TensorModel<Item, PreparedItem, Outputs> implements HybridModel {
  readonly #router: TensorRouter;
  readonly #sides: HybridSides;
  readonly #shared: HybridParts;

  constructor(
    parts: Omit<ModelParts<Item, PreparedItem, Outputs>, "queue">,
    router: TensorRouter,
    sides: HybridSides,
    shared: HybridParts,
  ) {
    super({ ...parts, queue: router }, sides);
    this.#router = router;
    this.#sides = sides;
    this.#shared = shared;
  }

  get executionProvider(): ExecutionProvider | null {
    return this.#sides.device?.executionProvider ?? null;
  }

  stats(): HybridModelStats {
    const { device, server } = this.#sides;
    return {
      state: this.state,
      mode: this.#shared.mode,
      requests: this.#router.counts.snapshot(),
      serverError: this.#shared.outage.error?.code ?? null,
      models: {
        ...(device !== null && { device: device.stats() }),
        ...(server !== null && { server: server.stats() }),
      },
    };
  }
}
