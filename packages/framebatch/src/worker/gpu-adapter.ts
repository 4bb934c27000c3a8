/** The name of the GPU adapter that this browser offers, or why it offers none. Asks anew each time; touches no ONNX Runtime. */
export async function findAdapter(): Promise<{ readonly name: string } | { readonly missing: string }> {
  if (!("gpu" in navigator)) {
    return {
      missing: isSecureContext ? "this browser has no WebGPU" : "WebGPU needs a secure context (https or localhost)",
    };
  }
  try {
    const adapter = await navigator.gpu.requestAdapter();
    return adapter ? { name: nameOf(adapter.info) } : { missing: "this browser offers no GPU adapter" };
  } catch (error) {
    return { missing: `asking for a GPU adapter failed: ${String(error)}` };
  }
}

function nameOf({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  return description || [vendor, architecture, device].filter(Boolean).join(" ") || "unnamed adapter";
}
