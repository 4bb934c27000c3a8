import type { DeviceFinder } from "../ort/device.js";
import { type DecidedRequest, EarlyRuntime } from "../ort/early-runtime.js";

/**
 * The one ONNX Runtime of a worker with several models, which the first load starts. Beside a GPU, those that run only
 * in the build without one share a second one.
 */
export class OneRuntime {
  readonly #onStarted: () => void;
  readonly #onBroken: () => void;
  #early: EarlyRuntime | null = null;

  /** @param onBroken called when it cannot start. A failed start cannot be repeated in the same worker. */
  constructor(onStarted: () => void, onBroken: () => void) {
    this.#onStarted = onStarted;
    this.#onBroken = onBroken;
  }

  /** `null` before the first load. */
  get early(): EarlyRuntime | null {
    return this.#early;
  }

  /** See `EarlyRuntime`. */
  startedFor(request: DecidedRequest, findDevice: DeviceFinder, isPlain: Promise<boolean>): EarlyRuntime {
    if (this.#early !== null) return this.#early;
    this.#early = new EarlyRuntime(request, findDevice, isPlain, null);
    this.#early.whenStarted(this.#onStarted, this.#onBroken);
    return this.#early;
  }
}
