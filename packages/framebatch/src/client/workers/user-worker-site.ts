import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ExplainSilence, WorkerSite } from "./worker-site.js";
import { baseUrl } from "@framebatch/host/base-url.js";

const SERVE =
  'import { serve } from "framebatch/worker" in it, and call serve({ preprocess, postprocess }) or serve({ run })';

/** Returns the site of the user's own worker. @param worker the option `worker` */
export function siteOfWorker(worker: () => Worker, explainSilence: ExplainSilence): WorkerSite {
  const started = new WeakSet<Worker>();
  let address: string | null = null;
  return {
    script: null,
    fix: "check the address in the option worker; esbuild and Rollup build the module of a worker as an entry of its own",
    start() {
      const { started: made, script } = observeStart(worker);
      address = script;
      if (!isWorker(made) || started.has(made)) throw notNew(made);
      started.add(made);
      return made;
    },
    silentFix: SERVE,
    whyNoAnswer: async () => (address === null ? null : explainSilence(address, SERVE)),
  };
}

/** Whether a value is a worker, of any realm. */
function isWorker(value: unknown): value is Worker {
  return value instanceof Worker || Object.prototype.toString.call(value) === "[object Worker]";
}

function notNew(made: unknown): FramebatchError {
  const got = isWorker(made) ? "the same one again" : String(made);
  const message = `worker: expected a function that returns a new Worker at each call, got ${got}; write () => new Worker(new URL("./reader.worker.ts", import.meta.url), { type: "module" })`;
  return new FramebatchError("INVALID_OPTION", message, { details: { option: "worker" } });
}

/**
 * Calls a function that starts a worker, and returns the absolute address of its script too; `null` if it starts none.
 * A worker does not tell its address, so `Worker` is a proxy during the call.
 */
function observeStart(start: () => unknown): { readonly started: unknown; readonly script: string | null } {
  const { Worker: original } = globalThis;
  let script: string | null = null;
  const construct: ProxyHandler<typeof Worker>["construct"] = (target, terms: unknown[], newTarget) => {
    const worker: object = Reflect.construct(target, terms, newTarget);
    script = new URL(String(terms[0]), baseUrl()).href;
    return worker;
  };
  globalThis.Worker = new Proxy(original, { construct });
  try {
    const started = start();
    return { started, script };
  } finally {
    globalThis.Worker = original;
  }
}
