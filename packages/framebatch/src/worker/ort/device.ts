import { Deadline } from "@framebatch/host/deadline.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { type ExecutionProvider, type ProviderTraits, traitsOf } from "../../transport/providers.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { deviceLost, outOfMemory } from "./runtime-error.js";

/**
 * The device of a provider: the name of a GPU adapter, `null` if there is no choice; or the reason why it is missing.
 */
export type Device = { readonly name: string | null } | { readonly missing: string };

/** Parts of the names of adapters that compute on the processor, many times slower than WebAssembly does. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i;

/**
 * How long the browser may look for a GPU adapter, in milliseconds. Most take a tenth of a second; one whose GPU
 * process hangs never answers.
 */
const ADAPTER_TIMEOUT_MS = 10_000;

/**
 * Returns a function that looks for the device that a provider needs. The function asks the browser for each kind of
 * device once. It does not touch ONNX Runtime.
 *
 * @param mayBeSoftware whether a GPU adapter that runs in software counts as a device
 */
export function deviceFinder(mayBeSoftware: boolean): DeviceFinder {
  const found = new Map<keyof typeof FINDERS, Promise<Device>>();
  return (provider) => {
    const need = traitsOf(provider).needs ?? "nothing";
    const device = found.get(need) ?? FINDERS[need](mayBeSoftware);
    found.set(need, device);
    return device;
  };
}

/** Returns the device that a provider needs. Never rejects. */
export type DeviceFinder = (provider: ExecutionProvider) => Promise<Device>;

type FindDevice = (mayBeSoftware: boolean) => Promise<Device>;

const FINDERS: Readonly<Record<NonNullable<ProviderTraits["needs"]> | "nothing", FindDevice>> = {
  gpu: findAdapter,
  ml: () => Promise.resolve("ml" in navigator ? { name: null } : { missing: missing("WebNN") }),
  nothing: () => Promise.resolve({ name: null }),
};

async function findAdapter(mayBeSoftware: boolean): Promise<Device> {
  if (!("gpu" in navigator)) return { missing: missing("WebGPU") };
  try {
    const deadline = new Deadline(ADAPTER_TIMEOUT_MS, hostTimer, "the browser");
    const adapter = await deadline.wait(() => navigator.gpu.requestAdapter());
    if (!adapter) return { missing: "this browser offers no GPU adapter" };
    const name = nameOf(adapter.info);
    if (mayBeSoftware || !isSoftware(adapter.info)) return { name };
    return { missing: `the only GPU adapter, ${name}, runs in software; WebAssembly is faster` };
  } catch (error) {
    return { missing: `asking for a GPU adapter failed: ${String(error)}` };
  }
}

function missing(api: string): string {
  return isSecureContext ? `this browser has no ${api}` : `${api} needs a secure context (https or localhost)`;
}

function isSoftware(info: GPUAdapterInfo): boolean {
  return (
    info.isFallbackAdapter || SOFTWARE.test(`${info.vendor} ${info.architecture} ${info.device} ${info.description}`)
  );
}

function nameOf({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  return description || [vendor, architecture, device].filter(Boolean).join(" ") || "unnamed adapter";
}

/**
 * Detects that a GPU device can no longer be trusted: it was lost, or it reported an uncaptured error. WebGPU drops a
 * call that fails and continues, so a run would read back outputs that were never written: zeros. A model that wants to
 * hear of it keeps a reference to the watch.
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
