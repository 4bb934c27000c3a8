import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { StateData } from "../../transport/protocol.js";
import { type DeviceRow, isOnDevice } from "../kept/device-rows.js";

/** The state of one sequence in this worker: as `StateData`, and what has stayed on the GPU is there. */
export interface HeldState extends Omit<StateData, "tensors"> {
  readonly tensors: readonly (TensorData | DeviceRow)[];
}

/** Returns the same state, which holds what is on the GPU until it is released. */
export function holdState(state: HeldState): HeldState {
  if (!state.tensors.some(isOnDevice)) return state;
  return { ...state, tensors: state.tensors.map((row) => (isOnDevice(row) ? row.rows.row(row.index) : row)) };
}

export function releaseState(state: HeldState | null): void {
  for (const row of state?.tensors ?? []) if (isOnDevice(row)) row.release();
}

/** Returns the elements of a state that is in the worker's memory, as all are that no run has left on the GPU. */
export function elementsOf(row: TensorData | DeviceRow): TensorData {
  if (isOnDevice(row)) throw new RangeError("expected a state in the memory of the worker, got one on the GPU");
  return row;
}
