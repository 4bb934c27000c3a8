/**
 * Takes the place of `fetch` in the build with Asyncify. The WebAssembly of that build has 26.8 MB, and some hosts accept
 * no file above 25 MiB. Therefore the package has it compressed with gzip, as a `.bin` file, which this function
 * decompresses while it arrives. It returns other files as they are.
 */
export async function inflatingFetch(address: string, init?: RequestInit): Promise<Response> {
  const response = await globalThis.fetch(address, init);
  const isCompressed = new URL(response.url).pathname.endsWith(".bin");
  if (!isCompressed || !response.ok || response.body === null) return response;
  const body = response.body.pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "Content-Type": "application/wasm" } });
}
