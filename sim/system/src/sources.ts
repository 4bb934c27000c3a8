import { compileFunction } from "node:vm";
import type { PageHalf } from "./browser/page.js";
import type { Code } from "./browser/scope.js";

/**
 * A half of framebatch as a function. Each call makes a module graph of its own, whose global names are the parameters. It is
 * compiled anew: V8 would otherwise optimize the code of all realms as one, for the classes of none of them.
 */
export interface Half<Exports> {
  readonly names: readonly string[];
  readonly code: Code<Exports>;
}

/** The scripts that a commit of framebatch is built into. */
export interface Sources {
  readonly page: Half<PageHalf>;
  readonly worker: Half<object>;
}

/** The names that the bundles take from their realm. */
const COMMON =
  "globalThis self origin isSecureContext performance setTimeout clearTimeout setInterval clearInterval " +
  "addEventListener removeEventListener reportError fetch crypto indexedDB Blob Response MessageChannel MessagePort " +
  "MessageEvent ErrorEvent Event Atomics BroadcastChannel Date URL Math console FinalizationRegistry navigator location setImmediate process onNewLife";
const PAGE = `${COMMON} window document Worker SharedWorker moduleUrl`.split(" ");
const WORKER = `${COMMON} postMessage importScript WebAssembly GPUBufferUsage GPUMapMode Map`.split(" ");

/** Compiles the bundles of `build.mjs`. */
export function compileSources({ page, worker }: { readonly page: string; readonly worker: string }): Sources {
  return { page: compile(page, PAGE, "page.js"), worker: compile(worker, WORKER, "worker.js") };
}

function compile<Exports>(text: string, names: readonly string[], filename: string): Half<Exports> {
  const compiled = () => compileFunction(`${text}\nreturn exported;`, [...names], { filename });
  return { names, code: (values) => Reflect.apply(compiled(), undefined, values) };
}
