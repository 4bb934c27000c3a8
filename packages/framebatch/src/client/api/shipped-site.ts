import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { baseUrl } from "@framebatch/host/base-url.js";
import { type BuiltInSite, mapBuilds, runtimesIn, type RuntimeSite, siteAt } from "../workers/worker-site.js";
import type { ShareSessions } from "../model/load-plan.js";
import type { ModelOptions } from "../options/options.js";
import type { importOnDemand } from "./on-demand.js";
import type { ExecutionProvider } from "../../transport/providers.js";

/**
 * What an entry of the package ships: the files that a bundler copies for it.
 */
export interface Shipment {
  /**
   * Returns the addresses of the files. Bundlers copy a file, unchanged, if they find its name in exactly this
   * expression: `new URL`, a literal, and `import.meta.url`. The worker's is not inside `new Worker`, because bundlers
   * would build it again, and each has its own limits for workers.
   * @throws TypeError in a bundle in the format IIFE, which has no `import.meta.url`
   */
  readonly files: () => ShippedFiles;
  /** The only execution providers whose files are shipped. @default all */
  readonly providers?: readonly ExecutionProvider[];
}

interface ShippedFiles {
  readonly worker: URL;
  readonly runtimes: Readonly<Record<keyof RuntimeSite, { readonly script: URL; readonly wasm: URL }>>;
}

/**
 * Loads what every model of an entry needs: its shipment, and the code. The shipment is in a module of its own, because
 * Vite copies the files of all modules that it reads. That module exports the code of a model too: a dynamic import of
 * the code beside it would be one file more, because what options load imports it as well.
 */
export type LoadShipment = () => Promise<{
  readonly shipment: Shipment;
  readonly open: typeof import("./packaged-model.js").open;
}>;

/** The remedy if the files are not where the bundler was told to put them. */
const FIX =
  "esbuild, Rollup and Angular do not copy it: run npx framebatch copy <folder of the bundle>, or copy it elsewhere and set workerUrl";

const NO_ADDRESS =
  "expected a bundle that knows its address (import.meta.url), got one in the format IIFE; run npx framebatch copy <folder>, and set workerUrl";

/** Returns where the worker and ONNX Runtime of the package are, in an application that a bundler builds. */
export function shippedSite({ files }: Shipment): BuiltInSite {
  try {
    const { worker, runtimes } = files();
    return siteAt(addressOf(worker), {
      fix: FIX,
      runtimes: mapBuilds((build) => {
        const { script, wasm } = runtimes[build];
        return { script: addressOf(script), wasm: addressOf(wasm) };
      }),
    });
  } catch (cause) {
    // A bundle in the format IIFE does not know its address: only the option `workerUrl` can say where the files are.
    const fail = () => {
      throw new FramebatchError("WORKER_LOAD_FAILED", NO_ADDRESS, { cause });
    };
    return { script: null, fix: FIX, runtimes: runtimesIn("./"), address: fail, start: fail };
  }
}

/** Returns the absolute URL. The `URL` of Next is a class of its own, which may hold a path. */
function addressOf({ href }: URL): string {
  return new URL(href, baseUrl()).href;
}

/**
 * Returns what shares the session of a model with other tabs; `null` without the option `shared`.
 * @param load `importOnDemand`. An import of it here would make it a file of its own, which every page would load.
 */
export async function sharingFor(
  options: Pick<ModelOptions, "shared"> | undefined,
  load: typeof importOnDemand,
): Promise<ShareSessions | null> {
  if (!options?.shared) return null;
  return (await load(() => import("../../shared-tabs/page/share-sessions.js"))).shareSessions;
}
