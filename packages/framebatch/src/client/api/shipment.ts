import type { ExecutionProvider } from "../../transport/providers.js";
import type { RuntimeSite } from "../workers/runtime-files.js";

/**
 * What an entry of the package ships: the files that a bundler copies for it. A module with a shipment imports nothing,
 * so that it takes no code from the chunks of a page.
 */
export interface Shipment {
  /**
   * Returns the addresses of the files. Bundlers copy a file, unchanged, if they find its name in exactly this expression:
   * `new URL`, a literal, and `import.meta.url`. The worker's is not inside `new Worker`, because bundlers would build it
   * again, and each has its own limits for workers.
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

/** Loads the shipment of an entry. It is a module of its own, because Vite copies the files of all modules that it reads. */
export type LoadShipment = () => Promise<{ readonly shipment: Shipment }>;
