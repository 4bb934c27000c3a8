import type { FailedReply } from "../../transport/protocol.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";

/** The tensors of a run that ONNX Runtime does not copy. */
export interface DeviceTensors {
  /** Feeds in buffers of the GPU. */
  readonly inputs: Readonly<Record<string, OrtTensor>>;
  /** The outputs to compute, each into its tensor, or `null` for one that is read back; `null` for all, read back. */
  readonly outputs: Readonly<Record<string, OrtTensor | null>> | null;
}

export const NO_DEVICE_TENSORS: DeviceTensors = { inputs: {}, outputs: null };

/** How a run of feeds ended. */
export type FeedsReply =
  | {
      readonly ok: true;
      /** Tensors by output name. */
      readonly outputs: Readonly<Record<string, Tensor>>;
      readonly inferenceMs: number;
    }
  | FailedReply;

/** Runs feeds on the session. Outputs that have a tensor of their own are not in the reply. */
export type RunModel = (feeds: Readonly<Record<string, Tensor>>, tensors?: DeviceTensors) => Promise<FeedsReply>;

/**
 * Gives a task its turn, and what runs the model in it. What waits for the GPU is part of the turn, so that runs stay
 * in order. Calls `onBegin` when the turn has come. Returns what the task throws as a failed reply.
 */
export type Serve = (turn: (run: RunModel) => Promise<FeedsReply>, onBegin?: () => void) => Promise<FeedsReply>;

/** Runs a task with what runs the model in it: in one turn for the whole task, or in one for each run. */
export type InTurn = <Result>(task: (serve: Serve) => Promise<Result>) => Promise<Result>;
