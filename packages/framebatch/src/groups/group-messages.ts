/**
 * The types of what a page and the worker of a group send to each other besides the calls of a model, on the worker's
 * own connection. The calls and notices of `protocol.ts` have a port for each model.
 */

/** A model joins the worker. */
export interface GroupJoinRequest {
  /** The port of its calls and notices. Transferred. */
  readonly member: MessagePort;
  /** Unique in this worker; 0 for the first one. */
  readonly id: number;
  /** The name of its handlers in the worker's module; `null` for a model of tensors. */
  readonly handlers: string | null;
  /** Limit of the WebAssembly memory of the worker, in bytes, the same for all models; `null` if there is none. */
  readonly maxMemoryBytes: number | null;
  /** Size of the tensors on the device from which on no further ones stay there, in bytes, the same for all models. */
  readonly maxKeptBytes: number;
}

/** A model calls ONNX Runtime from now on; `null`: none does. */
export interface GroupTurn {
  readonly executing: number | null;
  /** Maximum silence of the worker until it ends, in milliseconds. */
  readonly timeoutMs: number;
}

/** No model calls ONNX Runtime. */
export const NO_TURN: GroupTurn = { executing: null, timeoutMs: 0 };

/** The worker cannot start ONNX Runtime: no other model may join it. */
export interface GroupRetired {
  readonly retired: true;
}

/**
 * The WebAssembly memory of the worker. Besides ONNX Runtime's, its models have shares in it, or have left them behind.
 */
export interface GroupMemory {
  /** The size, in bytes. */
  readonly heapBytes: number;
  /** The part that no model has ever had, in bytes. */
  readonly runtimeBytes: number;
}

export type GroupMessage = GroupTurn | GroupRetired;

/** The WebAssembly memory that a model uses. */
export interface MemoryUse {
  /** All of its worker's; in a group, its share of that. */
  readonly bytes: number;
  /** The whole, for a model of a group. */
  readonly worker?: GroupMemory;
}
