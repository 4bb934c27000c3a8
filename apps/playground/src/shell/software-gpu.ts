/** Names of the adapters that run on the CPU: of Chromium, of Mesa, and of Windows. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|software|basic render|\bwarp\b/i;

/** True if a GPU adapter is emulated by the CPU, which is usually slower than WASM. */
export function isSoftwareGpu(adapter: string | null): boolean {
  return adapter !== null && SOFTWARE.test(adapter);
}
