import type { ExecutionProvider } from "../../transport/providers.js";
import type { RuntimeSite } from "../workers/worker-site.js";

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

export interface ShippedFiles {
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
