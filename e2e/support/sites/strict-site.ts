import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "../../../scripts/static-server.mjs";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/** The strictest Content-Security-Policy under which framebatch works, for the page and for its worker. */
export const MIN_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

export interface StrictSite {
  readonly url: string;
  /** The violations that browsers reported, each as "directive: address". */
  readonly violations: readonly string[];
  close(): Promise<void>;
}

/** Serves the test pages, the built SDK and the models, all with one policy, and collects violations of it. */
export async function serveStrictly(policy: string): Promise<StrictSite> {
  const violations: string[] = [];
  const folders = {
    "/models/": path.join(ROOT, "models/dist"),
    "/sdk/": path.join(ROOT, "packages/framebatch/dist"),
    "/": path.join(ROOT, "e2e/dist/site"),
  };
  const headers = { "Content-Security-Policy": `${policy}; report-uri /violations` };
  const intercept = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === "/violations") {
      void collect(request, violations).then(() => response.writeHead(204).end());
      return true;
    }
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname !== "/bare") return false;
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(barePage(searchParams.get("script")));
    return true;
  };
  const { url, close } = await serve({ folders, headers, intercept });
  return { url, violations, close };
}

/** Returns a page that loads nothing but a script. */
function barePage(script: string | null): string {
  const isModule = script !== null && !script.endsWith(".global.js");
  const tag = script === null ? "" : `<script${isModule ? ' type="module"' : ""} src="${script}"></script>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A strict page</title>${tag}</html>`;
}

async function collect(request: IncomingMessage, violations: string[]): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  violations.push(describe(Buffer.concat(chunks).toString()));
}

function describe(text: string): string {
  const report: { "csp-report"?: Record<string, string> } = JSON.parse(text);
  const { "effective-directive": directive, "blocked-uri": blocked } = report["csp-report"] ?? {};
  return `${directive}: ${blocked}`;
}
