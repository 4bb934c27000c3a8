import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { DeviceTensor, TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { KeptTensor } from "./kept-tensor.js";

/** The caller's handle of a tensor that stays on the device. */
export class DeviceHandle implements DeviceTensor {
  readonly type: TensorType;
  readonly dims: readonly number[];
  readonly #onDispose: (handle: DeviceHandle) => void;
  #tensor: KeptTensor | null;

  /** @param tensor belongs to the handle */
  constructor(tensor: KeptTensor, onDispose: (handle: DeviceHandle) => void) {
    this.type = tensor.type;
    this.dims = tensor.dims;
    this.#tensor = tensor;
    this.#onDispose = onDispose;
  }

  /** The tensor. @throws DISPOSED */
  get tensor(): KeptTensor {
    if (this.#tensor !== null) return this.#tensor;
    throw new FramebatchError(
      "DISPOSED",
      "expected the handle of a tensor, got one that was disposed of; predict it again",
    );
  }

  dispose(): void {
    if (this.#tensor === null) return;
    this.#onDispose(this);
    this.#tensor.release();
    this.#tensor = null;
  }
}
