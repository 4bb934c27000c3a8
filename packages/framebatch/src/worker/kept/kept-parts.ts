import type { Backend } from "../session/trial.js";
import type { DeviceMemory } from "./device-memory.js";
import type { KeptRows } from "./kept-rows.js";

/** Where tensors of a model stay between its runs. */
export interface KeptParts {
  /** The tensors of all models in the worker. */
  readonly kept: KeptRows;
  /** Returns the memory of the GPU; `null` if the model runs on none. */
  readonly memory: (() => Promise<DeviceMemory>) | null;
  /** Whether inputs and outputs may be where only the GPU can read them. */
  readonly mayStay: () => boolean;
}

export function keptParts(
  kept: KeptRows,
  { runtime, device }: Pick<Backend, "runtime" | "device">,
  mayStay: () => boolean,
): KeptParts {
  return { kept, mayStay, memory: device === null ? null : () => kept.memoryOn(runtime) };
}
