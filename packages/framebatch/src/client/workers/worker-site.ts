import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { LoadReply, RuntimeFiles } from "../../transport/protocol.js";
import { RUNTIME_BUILDS, type RuntimeBuild } from "../../transport/providers.js";
import { ALLOW_IN_POLICY, explainScript, type ScriptFailure } from "../../transport/script-failure.js";
import type { WorkerEndpoint } from "../../transport/transport.js";
import {
  isOwnOrigin,
  isSandboxed,
  type ScriptPolicy,
  startModuleWorker,
  type TrustedAddress,
  trustedTypes,
} from "@framebatch/host/page.js";
import { shownAddress, shownCause } from "@framebatch/batcher/errors/shown-address.js";

/**
 * Converts addresses for `new Worker` on pages that require Trusted Types. Its policy, "framebatch#worker", accepts
 * only the address that `admit` is converting. The policy is created once, because a page may forbid a second one of
 * that name.
 */
class ScriptTrust {
  #policy: ScriptPolicy | null | undefined;
  #admitted: string | null = null;

  /** Returns the trusted form of an address, or the address itself where there is no policy. */
  admit(address: string): string | TrustedAddress {
    if (this.#policy === undefined) this.#policy = this.#createPolicy();
    this.#admitted = address;
    const trusted = this.#policy?.createScriptURL(address);
    this.#admitted = null;
    return trusted ?? address;
  }

  /** Returns `null` if the page does not allow this policy; the plain address is then the only one to try. */
  #createPolicy(): ScriptPolicy | null {
    const createScriptURL = (url: string) => (url === this.#admitted ? url : null);
    try {
      return trustedTypes()?.createPolicy("framebatch#worker", { createScriptURL }) ?? null;
    } catch {
      return null;
    }
  }
}

/** The one policy of all models, because a page may forbid a second one of its name. */
const trust = /* @__PURE__ */ new ScriptTrust();

/** Where workers come from. */
export interface WorkerSite {
  /** Absolute URL of the script; `null` if it is the user's own. */
  readonly script: string | null;
  /** The remedy if the script is not at its address. */
  readonly fix: string;
  /** Whether its workers have models besides this one, which may end them. @default false */
  readonly isGroup?: boolean;
  /**
   * Called when a load has ended. Resolves to `true` if another load may end otherwise, because there is more memory
   * now.
   * @default no load is repeated
   */
  mayRepeat?(end: LoadEnd): Promise<boolean>;
  /** Starts a worker. Throws if the browser rejects the address at once. */
  start(): WorkerEndpoint;
  /** The remedy if a worker says nothing. @default the page's policy must allow it */
  readonly silentFix?: string;
  /** Why the worker that was started last can never answer; `null` if it may. */
  whyNoAnswer?(): Promise<ScriptFailure | null>;
}

/** Returns why no worker that runs a script can ever answer; `null` if it may. */
export type ExplainSilence = (script: string, fix: string) => Promise<ScriptFailure | null>;

/** How the load of a model in one worker has ended. */
export type LoadEnd = LoadReply | { readonly outcome: "died" };

/** Where the worker of this build comes from, and ONNX Runtime for all workers. */
export interface BuiltInSite extends WorkerSite {
  readonly runtimes: RuntimeSite;
  /** Returns the address of the script in the form that the page's Trusted Types demand. */
  address(): string | TrustedAddress;
}

/**
 * Returns the site of a worker script at an absolute address. A script of another origin cannot be started as a worker,
 * but a worker of the page's own origin can import it.
 */
export function siteAt(
  script: string,
  { fix, runtimes = runtimesIn(new URL("./", script).href), trusted = null }: SiteDetails,
): BuiltInSite {
  const address = () => trusted ?? trust.admit(script);
  return {
    script,
    fix,
    runtimes,
    address,
    start: () => (isOwnOrigin(script) ? startModuleWorker(address()) : startImporting(script)),
  };
}

interface SiteDetails {
  /** See `WorkerSite`. */
  readonly fix: string;
  /** ONNX Runtime's files. @default beside the script */
  readonly runtimes?: RuntimeSite | undefined;
  /** The address of the script as a `TrustedScriptURL`, if the page's own policy created one. */
  readonly trusted?: TrustedAddress | null;
}

/**
 * Starts a worker from a blob that imports `script`. Revokes the blob's URL after use. In a sandboxed frame, Chromium
 * (156) starts no module worker from a blob, but from a `data:` URL. Elsewhere, such a worker would lose its origin.
 */
function startImporting(script: string): Worker {
  const text = `import ${JSON.stringify(script)};`;
  if (isSandboxed()) return startModuleWorker(trust.admit(`data:text/javascript,${encodeURIComponent(text)}`));
  const importer = new Blob([text], { type: "text/javascript" });
  const url = URL.createObjectURL(importer);
  const worker = startModuleWorker(trust.admit(url));
  // The first message or error of the worker shows that it has read the blob.
  const revoke = () => URL.revokeObjectURL(url);
  worker.addEventListener("message", revoke, { once: true });
  worker.addEventListener("error", revoke, { once: true });
  return worker;
}

/** Starts a worker. @throws WORKER_LOAD_FAILED when the browser rejects the address */
export function startWorker(site: WorkerSite): WorkerEndpoint {
  try {
    return site.start();
  } catch (error) {
    throw error instanceof FramebatchError ? error : refused(site, error);
  }
}

/** Returns the error for a worker whose script the browser did not load, with the reason. */
export async function explainLoadError(site: WorkerSite): Promise<FramebatchError> {
  const { script, fix } = site;
  return loadError(site, script === null ? { got: "nothing that can be run", fix } : await explainScript(script, fix));
}

/** Returns the error for a worker whose address the browser rejected at once. @param cause what it threw */
function refused(site: WorkerSite, cause: unknown): FramebatchError {
  return loadError(site, { got: shownAddress(String(cause)), fix: ALLOW_IN_POLICY }, shownCause(cause));
}

/** Returns the error for a worker whose script is at fault. @param got what it is, or what it threw while it started */
export function wrongScript(site: WorkerSite, got: string): FramebatchError {
  return loadError(site, { got: shownAddress(got), fix: site.fix });
}

/** Returns the error for a worker that sent nothing for as long as its start may take, in milliseconds. */
export function notStarted(site: WorkerSite, ms: number): FramebatchError {
  return loadError(site, { got: `no answer for ${ms} ms`, fix: site.silentFix ?? ALLOW_IN_POLICY });
}

/** Returns the error for a worker that cannot start, with the reason. */
export function loadError(site: WorkerSite, { got, fix }: ScriptFailure, cause?: unknown): FramebatchError {
  const script = site.script === null ? null : shownAddress(site.script);
  return new FramebatchError(
    "WORKER_LOAD_FAILED",
    `expected the worker's script (${script ?? "the module that the option worker starts"}) to start, got ${got}; ${fix}`,
    { cause, details: { script } },
  );
}

/** The files of every build of ONNX Runtime, of which a worker loads one. */
export type RuntimeSite = Readonly<Record<RuntimeBuild, RuntimeFiles>>;

/** The option `wasmPaths` with absolute URLs. A folder ends with `/`. */
type WasmPaths = string | Readonly<Record<string, string>>;

/** Returns the files in a folder. @param folder absolute URL that ends with `/` */
export function runtimesIn(folder: string): RuntimeSite {
  return mapBuilds((build) => ({
    script: `${folder}framebatch.ort.${build}.js`,
    wasm: folder + RUNTIME_BUILDS[build].wasm,
  }));
}

/** Returns the files with ONNX Runtime's own `.wasm` files from elsewhere, as far as `paths` names them. */
export function withWasmPaths(site: RuntimeSite, paths: WasmPaths): RuntimeSite {
  return mapBuilds((build) => {
    const name = RUNTIME_BUILDS[build].wasm.replace(/\.bin$/, ".wasm");
    const wasm = typeof paths === "string" ? paths + name : paths[name];
    return wasm === undefined ? site[build] : { ...site[build], wasm };
  });
}

/** Returns the files of every build. */
export function mapBuilds(filesOf: (build: RuntimeBuild) => RuntimeFiles): RuntimeSite {
  return { jspi: filesOf("jspi"), webgpu: filesOf("webgpu"), wasm: filesOf("wasm") };
}
