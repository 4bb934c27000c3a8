import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { setOwn } from "@framebatch/rows/tensor/tensor.js";
import type { KeptTensor } from "./kept-tensors.js";

/** An input of a row whose tensor is in the worker. */
export interface KeptRead {
  readonly input: string;
  readonly tensor: KeptTensor;
}

/** The outputs of a row that it leaves in the worker. */
export interface RowKeeps {
  readonly outputs: readonly string[];
  /** Whether it needs the other outputs. */
  readonly needsOthers: boolean;
}

/** Tensors in a worker, by the names of outputs. */
export type KeptByName = Readonly<Record<string, KeptTensor>>;

/**
 * A row in the queue that reads tensors of the worker of its group, or leaves some there. It holds both until it has
 * settled.
 */
export class KeptRow implements PreparedItem {
  readonly shape: PreparedItem["shape"];
  readonly data: PreparedItem["data"];
  readonly sizes: PreparedItem["sizes"];
  readonly take?: () => void;
  readonly reads: readonly KeptRead[];
  keeps: RowKeeps | null;
  /** Whether the current attempt at its batch sends it. */
  isSent = false;
  /** Why it is not sent although it could be; `null` otherwise. */
  refusal: Error | null = null;
  #kept: KeptByName = {};
  #hasEnded = false;

  constructor({ shape, data, sizes, take }: PreparedItem, reads: readonly KeptRead[], keeps: RowKeeps | null) {
    this.shape = shape;
    this.data = data;
    this.sizes = sizes;
    if (take !== undefined) this.take = take;
    this.reads = reads;
    this.keeps = keeps;
    for (const { tensor } of reads) tensor.hold();
  }

  /** The input whose tensor was lost with its worker; `null` if there is none. */
  get lostInput(): string | null {
    return this.reads.find(({ tensor }) => tensor.isLost)?.input ?? null;
  }

  /** Whether a run can read its tensors. Once its request has settled, others may have released them. */
  get isReadable(): boolean {
    return !this.#hasEnded && this.lostInput === null;
  }

  /** Makes a run that reads its tensors. */
  async during<Result>(run: () => Promise<Result>): Promise<Result> {
    for (const { tensor } of this.reads) tensor.hold();
    try {
      return await run();
    } finally {
      for (const { tensor } of this.reads) tensor.release();
    }
  }

  /** Takes what its run has kept. If nobody waits for it any more, it is released at once. */
  came(kept: KeptByName): void {
    releaseAll(this.#kept);
    this.#kept = this.#hasEnded ? {} : kept;
    if (this.#hasEnded) releaseAll(kept);
  }

  /** Returns what its run has kept, which the receiver owns from now on. */
  takeKept(): KeptByName {
    const kept = this.#kept;
    this.#kept = {};
    return kept;
  }

  /** Notes that its request has settled. Safe to call more than once. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const { tensor } of this.reads) tensor.release();
    releaseAll(this.takeKept());
  }
}

function releaseAll(kept: KeptByName): void {
  for (const tensor of Object.values(kept)) tensor.release();
}

/** Returns a record with one entry for each name. */
export function byName<Value>(names: readonly string[], valueOf: (name: string) => Value): Record<string, Value> {
  const record: Record<string, Value> = {};
  for (const name of names) setOwn(record, name, valueOf(name));
  return record;
}
