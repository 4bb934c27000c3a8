import type { WorkerEndpoint } from "../../transport/transport.js";
import { FramebatchError } from "../../core/errors.js";
import { isOwnOrigin, startModuleWorker, type TrustedAddress } from "../page/host.js";
import { ScriptTrust } from "../page/script-trust.js";

/** The addresses of the worker's script and of ONNX Runtime's files in one build of framebatch. */
export interface WorkerSite {
  /** Address of the script, for error messages. */
  readonly script: string;
  /**
   * Directory of ONNX Runtime's files: an absolute URL that ends with `/`; `null` if ONNX Runtime finds them itself.
   */
  readonly wasmPaths: string | null;
  /** Starts a worker. Throws if the browser rejects the address at once. */
  start(): WorkerEndpoint;
}

/**
 * Returns the site of a worker script at an absolute address, with ONNX Runtime's files beside it. A script of another
 * origin cannot be started as a worker, but a worker of the page's own origin can import it.
 * @param trusted the same address as a `TrustedScriptURL`, if the page's own policy created one
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

/**
 * Returns the site of the user's own worker.
 * @param worker the option `worker`
 * @param builtIn the site of this build's worker, beside which ONNX Runtime's files are
 */
export function siteOfWorker(worker: () => Worker, { wasmPaths }: WorkerSite): WorkerSite {
  const started = new WeakSet<Worker>();
  return {
    script: "the module that the option worker starts",
    wasmPaths,
    start() {
      const made: unknown = worker();
      if (!(made instanceof Worker) || started.has(made)) throw notNew(made);
      started.add(made);
      return made;
    },
  };
}

function notNew(made: unknown): FramebatchError {
  const got = made instanceof Worker ? "the same one again" : String(made);
  const message = `worker: expected a function that returns a new Worker at each call, got ${got}; write () => new Worker(new URL("./reader.worker.ts", import.meta.url), { type: "module" })`;
  return new FramebatchError("INVALID_OPTION", message, { details: { option: "worker" } });
}

/** Starts a worker from a blob that imports `script`. Revokes the blob's URL after use. */
function startImporting(script: string, trust: ScriptTrust): Worker {
  const importer = new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" });
  const url = URL.createObjectURL(importer);
  const worker = startModuleWorker(trust.admit(url));
  // The first message or error of the worker shows that it has read the blob.
  const revoke = () => URL.revokeObjectURL(url);
  worker.addEventListener("message", revoke, { once: true });
  worker.addEventListener("error", revoke, { once: true });
  return worker;
}

/**
 * Returns the error for a worker whose script did not start.
 * @param why what happened instead, to complete "expected ... to start, got ..."
 * @param cause what the browser threw, if anything
 */
export function workerLoadError(site: WorkerSite, why: string, cause?: unknown): FramebatchError {
  return new FramebatchError(
    "WORKER_LOAD_FAILED",
    `expected the worker's script (${site.script}) to start, got ${why}; check that the file is served as JavaScript, ` +
      "that the page's Content-Security-Policy allows it (worker-src; Trusted Types want a TrustedScriptURL), and workerUrl",
    { cause, details: { script: site.script } },
  );
}
