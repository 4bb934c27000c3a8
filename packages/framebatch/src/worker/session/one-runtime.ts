import type { DeviceFinder } from "../ort/device.js";
import { type DecidedRequest, EarlyRuntime } from "../ort/early-runtime.js";

/** The one ONNX Runtime of a worker with several models, which the first load starts. */
export class OneRuntime {
  readonly #onStarted: () => void;
  readonly #onBroken: () => void;
  #early: EarlyRuntime | null = null;

  /** @param onBroken called when it cannot start. A failed start cannot be repeated in the same worker. */
  constructor(onStarted: () => void, onBroken: () => void) {
    this.#onStarted = onStarted;
    this.#onBroken = onBroken;
  }

  startedFor(request: DecidedRequest, findDevice: DeviceFinder): EarlyRuntime {
    if (this.#early !== null) return this.#early;
    this.#early = new EarlyRuntime(request, findDevice);
    this.#early.whenStarted(this.#onStarted, this.#onBroken);
    return this.#early;
  }
}
