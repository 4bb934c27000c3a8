/** The GPU adapter that the browser offers this page. */
export interface AdapterFacts {
  readonly name: string;
  /** Whether the adapter is a software GPU. Its counts and errors apply to a real GPU; its times do not. */
  readonly isSoftware: boolean;
}

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render|warp/i;

/** Returns the GPU adapter; `null` if the browser offers none. */
export async function findAdapter(): Promise<AdapterFacts | null> {
  const adapter = "gpu" in navigator ? await navigator.gpu.requestAdapter() : null;
  if (!adapter) return null;
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  const words = [vendor, architecture, device, description].filter((word) => word !== "").join(" ");
  return { name: words === "" ? "unnamed" : words, isSoftware: isFallbackAdapter || isSoftwareName(words) };
}

/** Whether an adapter is a GPU in software by its name. */
export function isSoftwareName(name: string): boolean {
  return SOFTWARE.test(name);
}
