import type { WorkerEndpoint } from "../../transport/transport.js";
import { FramebatchError } from "../../core/errors.js";
import { isOwnOrigin, startModuleWorker, type TrustedAddress } from "../page/host.js";
import { ScriptTrust } from "../page/script-trust.js";

/** Where one build of framebatch finds the script of its worker and ONNX Runtime's files. */
export interface WorkerSite {
  /** For error messages. */
  readonly script: string;
  /** A directory, as an absolute URL that ends with `/`; `null` where ONNX Runtime finds its files by itself. */
  readonly wasmPaths: string | null;
  /** May throw: the browser refuses some addresses at once. */
  start(): WorkerEndpoint;
}

/**
 * A worker script at an absolute address, with ONNX Runtime's files beside it. A script of another origin cannot be a worker,
 * but a worker of our own origin can import it. `trusted` is the same address, where the page's own policy has made it.
 */
export function siteAt(script: string, trusted: TrustedAddress | null = null): WorkerSite {
  const trust = new ScriptTrust();
  return {
    script,
    wasmPaths: new URL("./", script).href,
    start: () =>
      isOwnOrigin(script) ? startModuleWorker(trusted ?? trust.admit(script)) : startImporting(script, trust),
  };
}

function startImporting(script: string, trust: ScriptTrust): Worker {
  const importer = new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" });
  const url = URL.createObjectURL(importer);
  const worker = startModuleWorker(trust.admit(url));
  // Its first sign of life, good or bad, shows that it has read the blob.
  const revoke = () => URL.revokeObjectURL(url);
  worker.addEventListener("message", revoke, { once: true });
  worker.addEventListener("error", revoke, { once: true });
  return worker;
}

/** What the browser threw, or the bare event that it sent, in our words. */
export function workerLoadError(site: WorkerSite, why: string, cause?: unknown): FramebatchError {
  return new FramebatchError(
    "WORKER_LOAD_FAILED",
    `expected the worker's script (${site.script}) to start, got ${why}; check that the file is served as JavaScript, ` +
      "that the page's Content-Security-Policy allows it (worker-src; Trusted Types want a TrustedScriptURL), and workerUrl",
    { cause, details: { script: site.script } },
  );
}
