import path from "node:path";
import { serve } from "../static-server.mjs";
import { root } from "../workspace.mjs";

/** The host of the CDN in the pages. The browsers take it from localhost. */
export const CDN_HOST = "cdn.example";

/**
 * Serves the package as unpkg and jsDelivr do: to every origin, by file.
 *
 * @returns {Promise<{ port: number, loadedBytes: (origin: string) => number, close: () => Promise<void> }>}
 *   `loadedBytes` returns the bytes that it has answered to the pages of an origin
 */
export async function openCdn() {
  /** @type {Map<string, number>} */
  const loaded = new Map();
  const { port, close } = await serve({
    folders: { "/npm/framebatch/": path.join(root, "packages/framebatch") },
    headers: { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" },
    intercept(request, response) {
      const { origin = "" } = request.headers;
      response.once("finish", () => {
        loaded.set(origin, (loaded.get(origin) ?? 0) + Number(response.getHeader("Content-Length") ?? 0));
      });
      return false;
    },
  });
  return { port, loadedBytes: (origin) => loaded.get(origin) ?? 0, close };
}
