import path from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../../../scripts/static-server.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** Serves a page of the documentation at `/`, the built SDK and the digit classifier, all with these headers. */
export function serveGuidePage(html: string, headers: Readonly<Record<string, string>>) {
  return serve({
    folders: {
      "/models/digits/": path.join(ROOT, "models/digits"),
      "/sdk/": path.join(ROOT, "packages/framebatch/dist"),
    },
    headers,
    intercept(request, response) {
      if (request.url !== "/") return false;
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.end(
        `<!doctype html><html lang="en"><title>A page of the documentation</title><body>${html}</body></html>`,
      );
      return true;
    },
  });
}
