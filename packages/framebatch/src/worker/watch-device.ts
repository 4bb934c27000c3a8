import type { FramebatchError } from "../core/errors.js";
import { deviceLost, outOfMemory } from "./runtime-error.js";

/**
 * Hears of a GPU device that can no longer be trusted: it was lost, or a call was refused of which nobody has asked to hear.
 * WebGPU drops what it refuses and goes on, so a run would read back what it never wrote: zeros.
 */
export function watchDevice(device: GPUDevice, onEnd: (error: FramebatchError) => void): void {
  void device.lost.then(({ message, reason }) => onEnd(deviceLost(message || reason)));
  device.addEventListener("uncapturederror", ({ error }) => {
    const isMemory = error instanceof GPUOutOfMemoryError;
    onEnd(
      isMemory
        ? outOfMemory("run the batch; lower maxBatchSize", error.message)
        : deviceLost(`it refused a call: ${error.message}`),
    );
  });
}
