import { type PreparedItem, copyItem } from "@framebatch/rows/collate/prepared-item.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import { Outage } from "@framebatch/remote/router/outage.js";
import { Router } from "@framebatch/remote/router/router.js";
import { deviceSide, serverSide, type Side } from "@framebatch/remote/router/side.js";
import type { HybridModelOptions } from "./hybrid-options.js";
import { pageClock } from "@framebatch/host/host-timer.js";
import { checkSameItems, fitToDevice, type RemoteMetadata } from "@framebatch/remote/server/metadata.js";
import type { RemoteHost } from "@framebatch/remote/server/remote-server.js";
import type { Collation, RemoteItems, ServerBackedModel } from "./create-remote-model.js";
import { type DeviceModel, type HybridParts, HybridSides, RoutedModel } from "./routed-model.js";
import { ModelEventTarget, Warnings } from "../../client/model/model-events.js";
import { refuseUnreadable } from "@framebatch/rows/collate/input-errors.js";
import { moveBuffer } from "../../client/model/item-kind.js";

/** Connects the two sides of a model, in the order in which they get the model. */
export class HybridAssembly {
  readonly #options: HybridModelOptions;
  readonly #timer: RemoteHost["timer"];
  readonly #warnings = new Warnings();
  readonly #parts: HybridParts;
  readonly sides: HybridSides;
  /** Prepares all items, whichever side runs them. */
  #collation: Collation | null = null;
  #metadata: RemoteMetadata | null = null;
  #router: Router<PreparedItem, Outputs> | null = null;
  /** Called before each request. */
  wake: () => void = () => undefined;
  /** Whether the device is still loading the model. */
  isLoading = false;

  constructor(options: HybridModelOptions, { timer, random }: RemoteHost) {
    const onChange = (error: FramebatchError | null) => this.#outageChanged(error);
    this.#options = options;
    this.#timer = timer;
    this.#parts = {
      mode: options.remote.mode ?? "prefer-on-device",
      outage: new Outage({ now: () => timer.now(), random, onChange }),
      events: new ModelEventTarget(),
      stop: new AbortController(),
    };
    this.sides = new HybridSides(this.#parts);
  }

  get mode() {
    return this.#parts.mode;
  }

  get outage(): Outage {
    return this.#parts.outage;
  }

  /** Whether the device answers what the server does not, now or when it has the model. */
  get hasDevice(): boolean {
    const state = this.sides.device?.state;
    return this.isLoading || state === "ready" || state === "recovering";
  }

  get stop(): AbortController {
    return this.#parts.stop;
  }

  /** Reports an error of one side as an event of the model. */
  report(error: FramebatchError): void {
    this.#warnings.add(error);
  }

  /**
   * Adds the device, with the collation of its signature.
   * @param startMs how long it took to load the model, in milliseconds
   * @throws REMOTE_INVALID when items that were prepared for the server do not fit it
   */
  addDevice(device: DeviceModel, own: Collation, startMs: number): void {
    if (this.#collation !== null && this.#metadata !== null) {
      checkSameItems(own.signature, this.#collation.signature);
      fitToDevice(own.signature, this.#metadata);
    }
    this.#collation ??= own;
    this.sides.setDevice(device);
    this.#join(deviceSide(device, startMs));
  }

  /**
   * Returns what the server takes and returns.
   * @param own the collation of its metadata, for a model that the device does not have
   * @throws REMOTE_INVALID when it does not fit the device
   */
  itemsOf(metadata: RemoteMetadata, own: () => Collation): RemoteItems {
    this.#metadata = metadata;
    if (this.#collation === null) {
      this.#collation = own();
      return { ...this.#collation, outputs: this.#collation.signature.outputs };
    }
    const { collator, signature } = this.#collation;
    return { collator, ...fitToDevice(signature, metadata) };
  }

  /** Notes that the device has joined or failed. */
  deviceLoaded(): void {
    this.isLoading = false;
    this.#router?.loadEnded();
  }

  addServer(server: ServerBackedModel): void {
    this.sides.setServer(server);
    this.#join(serverSide(server.batcher, this.outage));
  }

  /** Returns the model, once a side has joined. */
  model(): RoutedModel {
    if (this.#router === null || this.#collation === null) throw new RangeError("expected a side, got none");
    const { signature, collator } = this.#collation;
    const router = this.#router;
    this.sides.listen(() => router.sidesChanged());
    this.#warnings.reportTo(this.#parts.events);
    const admit = (item: Item, isMoved: boolean) => collator.admit(item, isMoved ? moveBuffer : undefined);
    const parts = { signature, admit, events: this.#parts.events, clock: pageClock };
    return new RoutedModel(parts, router, this.sides, this.#parts);
  }

  #join(side: Side<PreparedItem, Outputs>): void {
    if (this.#router !== null) return this.#router.join(side);
    const preferred = this.mode === "prefer-on-device" || this.mode === "only-on-device" ? "device" : "server";
    const { maxLatencyMs = Infinity } = this.#options;
    const hooks = { copyItem: ownCopy, wake: () => this.wake(), isLoading: () => this.isLoading };
    this.#router = new Router({ timer: this.#timer, preferred, maxLatencyMs, ...hooks }, side);
  }

  #outageChanged(error: FramebatchError | null): void {
    if (error !== null) this.report(error);
    this.sides.changed(error);
  }
}

/**
 * Returns a copy of an item.
 * @throws INVALID_INPUT when its caller has given an array away that no side has taken over
 */
function ownCopy(item: PreparedItem): PreparedItem {
  try {
    return copyItem(item);
  } catch (thrown) {
    throw refuseUnreadable(thrown);
  }
}

/**
 * Returns true if items are prepared in the same way for every model with this metadata, because no size but the first
 * of each input is dynamic. Other dynamic sizes have names in the model, which a server does not tell.
 */
export function hasFixedItems({ inputs }: RemoteMetadata): boolean {
  return inputs.every(({ shape = [] }) => Number(shape[0]) < 0 && shape.slice(1).every((size) => Number(size) >= 0));
}
