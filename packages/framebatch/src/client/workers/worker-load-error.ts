import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { shownAddress, shownCause } from "@framebatch/batcher/errors/description.js";
import { ALLOW_IN_POLICY, explainScript, type ScriptFailure } from "../../transport/script-failure.js";
import type { WorkerSite } from "./worker-site.js";

/** Returns the error for a worker whose script the browser did not load, with the reason. */
export async function explainLoadError(site: WorkerSite): Promise<FramebatchError> {
  const { script, fix } = site;
  return loadError(site, script === null ? { got: "nothing that can be run", fix } : await explainScript(script, fix));
}

/** Returns the error for a worker whose address the browser rejected at once. @param cause what it threw */
export function refused(site: WorkerSite, cause: unknown): FramebatchError {
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
