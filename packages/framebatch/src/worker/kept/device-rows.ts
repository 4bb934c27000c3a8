import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";
import type { TensorType } from "@framebatch/rows/tensor/tensor.js";

/** The tensor of one row: a range of a buffer of the GPU. */
export interface DeviceRow {
  readonly rows: DeviceRows;
  /** Its place among the rows. */
  readonly index: number;
  readonly type: TensorType;
  readonly dims: readonly number[];
  release(): void;
}

/** A tensor of several rows in a buffer of the GPU of its own. The first axis counts the rows. */
export class DeviceRows {
  readonly tensor: OrtTensor;
  readonly buffer: GPUBuffer;
  readonly rowBytes: number;
  readonly #type: TensorType;
  #held = 0;

  /** @param type the element type of `tensor` */
  constructor(tensor: OrtTensor, buffer: GPUBuffer, type: TensorType, rowBytes: number) {
    this.tensor = tensor;
    this.buffer = buffer;
    this.rowBytes = rowBytes;
    this.#type = type;
  }

  /** Returns one row, which holds the buffer until it is released. */
  row(index: number): DeviceRow {
    this.#held += 1;
    let isHeld = true;
    const release = () => {
      if (isHeld && --this.#held === 0) this.destroy();
      isHeld = false;
    };
    return { rows: this, index, type: this.#type, dims: this.tensor.dims.slice(1), release };
  }

  /** Frees the buffer. What was asked of the GPU before is still done. */
  destroy(): void {
    this.buffer.destroy();
  }
}
