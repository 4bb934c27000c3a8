import { type ExecutionProvider, type ProviderTraits, traitsOf } from "../../core/providers.js";

/**
 * The device of a provider: the name of a GPU adapter, `null` if there is no choice; or the reason why it is missing.
 */
export type Device = { readonly name: string | null } | { readonly missing: string };

/** Looks for the device that the provider needs. Queries the browser at each call. Does not touch ONNX Runtime. */
export function findDevice(provider: ExecutionProvider): Promise<Device> {
  return FINDERS[traitsOf(provider).needs ?? "nothing"]();
}

const FINDERS: Readonly<Record<NonNullable<ProviderTraits["needs"]> | "nothing", () => Promise<Device>>> = {
  gpu: findAdapter,
  ml: () => Promise.resolve("ml" in navigator ? { name: null } : { missing: missing("WebNN") }),
  nothing: () => Promise.resolve({ name: null }),
};

async function findAdapter(): Promise<Device> {
  if (!("gpu" in navigator)) return { missing: missing("WebGPU") };
  try {
    const adapter = await navigator.gpu.requestAdapter();
    return adapter ? { name: nameOf(adapter.info) } : { missing: "this browser offers no GPU adapter" };
  } catch (error) {
    return { missing: `asking for a GPU adapter failed: ${String(error)}` };
  }
}

function missing(api: string): string {
  return isSecureContext ? `this browser has no ${api}` : `${api} needs a secure context (https or localhost)`;
}

function nameOf({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  return description || [vendor, architecture, device].filter(Boolean).join(" ") || "unnamed adapter";
}
