/** The GPU that the browser offers this page. */
export interface AdapterFacts {
  readonly name: string;
  /** A GPU in software: counts and errors carry over to a real one, times do not. */
  readonly isSoftware: boolean;
}

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render|warp/i;

/** `null` where the browser offers none. */
export async function findAdapter(): Promise<AdapterFacts | null> {
  const adapter = "gpu" in navigator ? await navigator.gpu.requestAdapter() : null;
  if (!adapter) return null;
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  const words = [vendor, architecture, device, description].filter((word) => word !== "").join(" ");
  return { name: words === "" ? "unnamed" : words, isSoftware: isFallbackAdapter || SOFTWARE.test(words) };
}
