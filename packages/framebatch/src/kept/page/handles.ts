import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { KeptTensor } from "./kept-tensors.js";
import type { DeviceTensor, TensorType } from "@framebatch/rows/tensor/tensor.js";

/** Notes handles until they are garbage-collected. */
interface Registry {
  register(handle: object, tensor: KeptTensor, token: object): void;
  unregister(token: object): void;
}

/** Calls back with the tensor of a handle that was garbage-collected. */
export type WatchHandles = (onForgotten: (tensor: KeptTensor) => void) => Registry;

const byCollector: WatchHandles = (onForgotten) => new FinalizationRegistry(onForgotten);

/** The handles that a model has given out. One that its owner forgets is released, and reported once. */
export class Handles {
  readonly #registry: Registry;
  readonly #report: (error: FramebatchError) => void;
  #hasReported = false;

  constructor(report: (error: FramebatchError) => void, watch: WatchHandles = byCollector) {
    this.#report = report;
    this.#registry = watch((tensor) => this.#forgotten(tensor));
  }

  /** Returns the handle of a tensor, which then belongs to it. */
  give(tensor: KeptTensor): DeviceHandle {
    const handle = new DeviceHandle(tensor, (disposed) => this.#registry.unregister(disposed));
    this.#registry.register(handle, tensor, handle);
    return handle;
  }

  #forgotten(tensor: KeptTensor): void {
    tensor.release();
    if (this.#hasReported) return;
    this.#hasReported = true;
    const message =
      "keepOnDevice: expected dispose() of every handle, got one that was garbage-collected, whose tensor was kept until now; call dispose() on each";
    this.#report(new FramebatchError("INVALID_OPTION", message, { details: { option: "keepOnDevice" } }));
  }
}

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
