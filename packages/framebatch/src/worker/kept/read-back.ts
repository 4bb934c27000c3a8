import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { DeviceMemory } from "./device-memory.js";
import { isOnDevice } from "./device-rows.js";

/**
 * Reads those rows back that are on the GPU. Returns their elements by row.
 * @param memory the memory of the GPU; `null` if there is none, and so no row is there
 * @throws DEVICE_LOST
 */
export async function readBack(
  rows: readonly (object | null)[],
  memory: DeviceMemory | null,
): Promise<ReadonlyMap<object, TensorData>> {
  const onDevice = rows.filter((row) => row !== null && isOnDevice(row));
  const elements = onDevice.length === 0 || memory === null ? [] : await memory.read(onDevice);
  return new Map(elements.map((data, index) => [onDevice[index]!, data]));
}
