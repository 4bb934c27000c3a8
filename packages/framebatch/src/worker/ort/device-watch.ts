import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { deviceLost, outOfMemory } from "./runtime-error.js";

/**
 * Detects that a GPU device can no longer be trusted: it was lost, or it reported an uncaptured error. WebGPU drops a
 * call that fails and continues, so a run would read back outputs that were never written: zeros. Whoever wants to hear of
 * it holds the watch.
 */
export class DeviceWatch {
  #end: FramebatchError | null = null;
  #onEnd: (error: FramebatchError) => void = () => undefined;

  constructor(device: Pick<GPUDevice, "lost" | "addEventListener">) {
    // The device outlives the models of a group: it must not hold those that have left.
    const weak = new WeakRef(this);
    const hear = (error: FramebatchError) => {
      const watch = weak.deref();
      if (watch !== undefined) watch.#hear(error);
    };
    void device.lost.then(({ message, reason }) => hear(deviceLost(message || reason)));
    device.addEventListener("uncapturederror", ({ error }) => {
      const isMemory = error instanceof GPUOutOfMemoryError;
      hear(
        isMemory
          ? outOfMemory("run the batch; lower maxBatchSize", error.message)
          : deviceLost(`it refused a call: ${error.message}`),
      );
    });
  }

  /** @throws DEVICE_LOST or OUT_OF_MEMORY when the device can no longer be trusted */
  check(): void {
    if (this.#end !== null) throw this.#end;
  }

  /** Calls `onEnd` once when the device can no longer be trusted; immediately if that has already happened. */
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
