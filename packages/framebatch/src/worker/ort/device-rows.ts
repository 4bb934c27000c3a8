import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";
import { setOwn, type Tensor, type TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { DeviceMemory } from "./device-memory.js";

/** The tensor of one row: ranges of a buffer of the GPU. */
export interface DeviceRow {
  readonly rows: DeviceRows;
  /** Its place among the rows. */
  readonly index: number;
  readonly type: TensorType;
  readonly dims: readonly number[];
  release(): void;
}

/** A tensor of one row that stays in this worker: in its memory, or on the GPU. */
export type KeptRow = Tensor | DeviceRow;

/** Whether a row is on the GPU. */
export function isOnDevice(row: object): row is DeviceRow {
  return "rows" in row;
}

/** The outputs of a run that are on the GPU, by name. */
export type OutputsOnDevice = ReadonlyMap<string, DeviceRows>;

export const NONE_ON_DEVICE: OutputsOnDevice = new Map();

/** Frees outputs that nothing will read. */
export function destroyAll(outputs: OutputsOnDevice): void {
  for (const rows of outputs.values()) rows.destroy();
}

/** Uses the outputs of a run, and frees those on the GPU if that throws. */
export function orDestroy<T>(outputs: OutputsOnDevice, use: () => T): T {
  try {
    return use();
  } catch (thrown) {
    destroyAll(outputs);
    throw thrown;
  }
}

/**
 * How rows stand in a buffer: piece by piece, and within a piece row by row. With the batch on the first axis, a row is
 * one piece.
 */
export interface RowLayout {
  /** Number of rows. */
  readonly count: number;
  readonly rowBytes: number;
  readonly pieceBytes: number;
}

/** Returns where in the buffer a byte of a row is. */
export function placeOf({ count, pieceBytes }: RowLayout, index: number, byte: number): number {
  return (Math.floor(byte / pieceBytes) * count + index) * pieceBytes + (byte % pieceBytes);
}

/** A tensor of several rows in a buffer of the GPU of its own. */
export class DeviceRows {
  readonly tensor: OrtTensor;
  readonly buffer: GPUBuffer;
  readonly layout: RowLayout;
  /** The element type of `tensor`. */
  readonly type: TensorType;
  readonly #rowDims: readonly number[];
  readonly #onDestroyed: () => void;
  #held = 0;
  #isDestroyed = false;

  /**
   * @param rowDims the dims of a row
   */
  constructor(
    tensor: OrtTensor,
    buffer: GPUBuffer,
    type: TensorType,
    rowDims: readonly number[],
    layout: RowLayout,
    onDestroyed: () => void,
  ) {
    this.tensor = tensor;
    this.buffer = buffer;
    this.layout = layout;
    this.type = type;
    this.#rowDims = rowDims;
    this.#onDestroyed = onDestroyed;
  }

  /** Size of all rows, in bytes. */
  get bytes(): number {
    return this.layout.count * this.layout.rowBytes;
  }

  /** Returns one row, which holds the buffer until it is released. */
  row(index: number): DeviceRow {
    this.#held += 1;
    let isHeld = true;
    const release = () => {
      if (isHeld && --this.#held === 0) this.destroy();
      isHeld = false;
    };
    return { rows: this, index, type: this.type, dims: this.#rowDims, release };
  }

  /** Frees the buffer. What was asked of the GPU before is still done. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.buffer.destroy();
    this.#onDestroyed();
  }
}

/** The inputs of a run that are stacked on the GPU. */
export class DeviceInputs {
  readonly tensors: Record<string, OrtTensor> = {};
  readonly #copies: DeviceRows[] = [];

  /** Stacks the rows of an input along an axis. @param count number of rows of the run */
  gather(name: string, rows: readonly KeptRow[], axis: number, count: number, memory: DeviceMemory): void {
    const stacked = memory.gather(rows, axis, count, (copy) => this.#copies.push(copy));
    setOwn(this.tensors, name, stacked);
  }

  /** Frees what was stacked, after the run. */
  release(): void {
    for (const copy of this.#copies) copy.destroy();
  }
}
