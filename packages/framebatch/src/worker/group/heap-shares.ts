import type { GroupMemory } from "../../transport/grouping.js";

/**
 * What the WebAssembly memory of a worker is used for: ONNX Runtime and each model. The memory never shrinks. It grows for the
 * model whose turn it is; what a model has left behind, the others take before it grows again.
 */
export class HeapShares {
  readonly #heapBytes: () => number;
  readonly #shares = new Map<number, number>();
  /** Growth up to this size has its owner. */
  #countedBytes = 0;
  /** What no model has ever had. */
  #runtimeBytes = 0;
  #owner: number | null = null;

  /** @param heapBytes returns the size of the WebAssembly memory */
  constructor(heapBytes: () => number) {
    this.#heapBytes = heapBytes;
  }

  get memory(): GroupMemory {
    return { heapBytes: this.#countedBytes, runtimeBytes: this.#runtimeBytes };
  }

  join(id: number): void {
    this.#shares.set(id, 0);
  }

  /** The memory grows for this model from now on; `null`: for none. */
  turn(owner: number | null): void {
    this.#count();
    this.#owner = owner;
  }

  /** ONNX Runtime has started, possibly in the turn of a model that waits for it: the memory has grown for all models. */
  runtimeStarted(): void {
    this.#runtimeBytes += this.#grown();
  }

  /**
   * Returns the share of a model: what the memory has grown by in its turns, and at least the size of its files, which a load
   * takes first from what others have left behind, then from what ONNX Runtime does not need.
   */
  of(id: number, fileBytes: number): number {
    this.#count();
    const share = this.#shares.get(id) ?? 0;
    const spare = this.#countedBytes - [...this.#shares.values()].reduce((sum, bytes) => sum + bytes, 0);
    const taken = Math.min(Math.max(0, fileBytes - share), spare);
    this.#runtimeBytes = Math.min(this.#runtimeBytes, spare - taken);
    this.#shares.set(id, share + taken);
    return share + taken;
  }

  /** The session of the model is released: others may take its share. */
  leave(id: number): void {
    this.#shares.delete(id);
  }

  #count(): void {
    const grown = this.#grown();
    const share = this.#owner === null ? undefined : this.#shares.get(this.#owner);
    if (this.#owner === null || share === undefined) this.#runtimeBytes += grown;
    else this.#shares.set(this.#owner, share + grown);
  }

  #grown(): number {
    const before = this.#countedBytes;
    this.#countedBytes = this.#heapBytes();
    return this.#countedBytes - before;
  }
}
