import { AbsentTensor } from "@framebatch/rows/collate/absent-tensor.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { HeldTensor } from "@framebatch/pipelines/builder/links.js";
import type { WorkerClient } from "../workers/worker-client.js";

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
