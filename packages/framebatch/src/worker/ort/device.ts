import { Deadline } from "@framebatch/host/deadline.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { type ExecutionProvider, type ProviderTraits, traitsOf } from "../../transport/providers.js";

/**
 * The device of a provider: the name of a GPU adapter, `null` if there is no choice; or the reason why it is missing.
 */
export type Device = { readonly name: string | null } | { readonly missing: string };

/** Parts of the names of adapters that compute on the processor, many times slower than WebAssembly does. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i;

/** How long the browser may look for a GPU adapter, in milliseconds. Most take a tenth of a second; one whose GPU process hangs never answers. */
const ADAPTER_TIMEOUT_MS = 10_000;

/**
 * Returns a function that looks for the device that a provider needs. The function asks the browser for each kind of device
 * once. It does not touch ONNX Runtime.
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
