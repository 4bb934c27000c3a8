import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { AbsentTensor } from "@framebatch/rows/collate/absent-tensor.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { HeldTensor } from "@framebatch/pipelines/builder/links.js";
import type { WorkerClient } from "../../client/workers/worker-client.js";

/** The tensors that the models of one group keep in its worker. */
export class KeptTensors {
  readonly #maxBytes: number;
  readonly #alive = new Set<KeptTensor>();
  readonly #released = new Map<KeptClient, number[]>();
  #lastId = 0;
  #bytes = 0;
  #reservedBytes = 0;

  /** @param maxBytes size from which on no further tensor is asked for, in bytes */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Size of the tensors that are kept now, in bytes. */
  get bytes(): number {
    for (const tensor of this.#alive) if (tensor.isLost) this.#forget(tensor);
    return this.#bytes;
  }

  /** Whether another tensor may be kept. */
  get hasRoom(): boolean {
    return this.#bytes < this.#maxBytes || this.bytes < this.#maxBytes;
  }

  /**
   * Reserves room for what a run is about to keep, until `unreserve`. Returns false if there is none: many requests may
   * have been admitted while there was some.
   */
  reserve(bytes: number): boolean {
    if (this.bytes + this.#reservedBytes >= this.#maxBytes) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  unreserve(bytes: number): void {
    this.#reservedBytes -= bytes;
  }

  /** Returns the error of a request for a tensor for which there is no room. */
  noRoom(): FramebatchError {
    return new FramebatchError(
      "OVERLOADED",
      `expected room for another tensor on the device, got ${this.bytes} bytes of tensors that are kept; dispose of handles, or raise maxKeptBytes of the group`,
      { details: { keptBytes: this.bytes } },
    );
  }

  /** Whether a tensor is one of this group, whose worker may have ended. */
  has(tensor: KeptTensor): boolean {
    return tensor.isLost || this.#alive.has(tensor);
  }

  /** Returns a number that no tensor of this group has had. */
  nextId(): number {
    return ++this.#lastId;
  }

  /** Adds a tensor that a worker has kept. @param placeholder its type and dims */
  add(id: number, placeholder: Tensor, client: KeptClient): KeptTensor {
    const tensor = new KeptTensor(id, placeholder, client, this.#onReleased);
    this.#alive.add(tensor);
    this.#bytes += tensor.bytes;
    return tensor;
  }

  readonly #onReleased = (tensor: KeptTensor): void => {
    const { client, id, isLost } = tensor;
    this.#forget(tensor);
    if (isLost) return;
    const released = this.#released.get(client) ?? [];
    this.#released.set(client, released);
    // Those of one batch are released together.
    if (released.push(id) === 1) afterMicrotask(() => this.#tell(client, released));
  };

  #tell(client: KeptClient, released: readonly number[]): void {
    this.#released.delete(client);
    client.notify({ released });
  }

  #forget(tensor: KeptTensor): void {
    if (this.#alive.delete(tensor)) this.#bytes -= tensor.bytes;
  }
}

/** The part of a worker that keeps tensors, as the model that has computed them knows it. */
export type KeptClient = Pick<WorkerClient, "hasEnded" | "notify">;

/** A tensor in the worker of a group: what the page knows of it, and who still needs it. */
export class KeptTensor extends AbsentTensor implements HeldTensor {
  readonly id: number;
  readonly client: KeptClient;
  readonly bytes: number;
  readonly #onReleased: (tensor: KeptTensor) => void;
  #holders = 1;

  /** @param placeholder its type and dims @param onReleased called when nobody needs it any more */
  constructor(id: number, { type, dims }: Tensor, client: KeptClient, onReleased: (tensor: KeptTensor) => void) {
    super(type, dims);
    this.id = id;
    this.client = client;
    this.bytes = bytesIn({ type, dims });
    this.#onReleased = onReleased;
  }

  /** Whether it has ended with its worker. */
  get isLost(): boolean {
    return this.client.hasEnded;
  }

  /** Adds a holder, who calls `release` once. */
  hold(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#onReleased(this);
  }
}

/** Returns the size of a tensor, in bytes. */
export function bytesIn({ type, dims }: Pick<Tensor, "type" | "dims">): number {
  const one = elementOf(type).create(1);
  return "byteLength" in one ? volumeOf(dims) * one.byteLength : 0;
}
