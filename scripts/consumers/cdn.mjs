import path from "node:path";
import { serve } from "../static-server.mjs";
import { root } from "../workspace.mjs";

/** The host of the CDN in the pages. The browsers take it from localhost. */
export const CDN_HOST = "cdn.example";

/** Serves the package as unpkg and jsDelivr do: to every origin, by file. */
export function openCdn() {
  return serve({
    folders: { "/npm/framebatch/": path.join(root, "packages/framebatch") },
    headers: { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" },
  });
}
