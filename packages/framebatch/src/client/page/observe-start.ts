import { baseUrl } from "@framebatch/host/base-url.js";

/**
 * Calls a function that starts a worker, and returns the absolute address of its script too; `null` if it starts none.
 * A worker does not tell its address, so `Worker` is a proxy during the call.
 */
export function observeStart(start: () => unknown): { readonly started: unknown; readonly script: string | null } {
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
