import type { FramebatchError } from "../../core/errors.js";
import { deviceLost, outOfMemory } from "./runtime-error.js";

/**
 * Hears of a GPU device that can no longer be trusted: it was lost, or a call was refused of which nobody has asked to hear.
 * WebGPU drops what it refuses and goes on, so a run would read back what it never wrote: zeros.
 */
export class DeviceWatch {
  #end: FramebatchError | null = null;
  #onEnd: (error: FramebatchError) => void = () => undefined;

  constructor(device: GPUDevice) {
    void device.lost.then(({ message, reason }) => this.#hear(deviceLost(message || reason)));
    device.addEventListener("uncapturederror", ({ error }) => {
      const isMemory = error instanceof GPUOutOfMemoryError;
      this.#hear(
        isMemory
          ? outOfMemory("run the batch; lower maxBatchSize", error.message)
          : deviceLost(`it refused a call: ${error.message}`),
      );
    });
  }

  /** @throws what has been heard so far */
  check(): void {
    if (this.#end !== null) throw this.#end;
  }

  /** Once, also where it was heard before. */
  whenEnded(onEnd: (error: FramebatchError) => void): void {
    this.#onEnd = onEnd;
    if (this.#end !== null) onEnd(this.#end);
  }

  #hear(error: FramebatchError): void {
    if (this.#end !== null) return;
    this.#end = error;
    this.#onEnd(error);
  }
}
