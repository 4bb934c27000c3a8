import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { FeedsReply } from "../session/feeds-reply.js";

/** The tensors of a run that ONNX Runtime does not copy. */
export interface DeviceTensors {
  /** Feeds in buffers of the GPU. */
  readonly inputs: Readonly<Record<string, OrtTensor>>;
  /** The outputs to compute, each into its tensor, or `null` for one that is read back; `null` for all, read back. */
  readonly outputs: Readonly<Record<string, OrtTensor | null>> | null;
}

export const NO_DEVICE_TENSORS: DeviceTensors = { inputs: {}, outputs: null };

/** Runs feeds on the session. Outputs that have a tensor of their own are not in the reply. */
export type RunFeedsOnDevice = (feeds: Readonly<Record<string, Tensor>>, tensors: DeviceTensors) => Promise<FeedsReply>;

/** Calls back when the turn of a request has come, with what runs the session, and where the memory of the GPU is. */
export type ServeOnDevice = (turn: (run: RunFeedsOnDevice) => Promise<FeedsReply>) => Promise<FeedsReply>;
