import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";

/** The tensors of a run that ONNX Runtime does not copy. */
export interface DeviceTensors {
  /** Feeds in buffers of the GPU. */
  readonly inputs: Readonly<Record<string, OrtTensor>>;
  /** The outputs to compute, each into its tensor, or `null` for one that is read back; `null` for all, read back. */
  readonly outputs: Readonly<Record<string, OrtTensor | null>> | null;
}

export const NO_DEVICE_TENSORS: DeviceTensors = { inputs: {}, outputs: null };
