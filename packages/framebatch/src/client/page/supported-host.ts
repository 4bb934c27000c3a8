import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/**
 * Checks that models can run here.
 * @throws UNSUPPORTED outside a page or dedicated worker of a browser with workers.
 */
export function assertSupportedHost(): void {
  if (typeof Worker !== "undefined" && (typeof document !== "undefined" || isScope("DedicatedWorkerGlobalScope")))
    return;
  throw new FramebatchError(
    "UNSUPPORTED",
    `expected a page or a dedicated worker of a browser with Web Workers, got ${otherHost()}; create the model there`,
  );
}

function otherHost(): string {
  if (isScope("SharedWorkerGlobalScope")) return "a shared worker";
  if (isScope("ServiceWorkerGlobalScope")) return "a service worker";
  return typeof document === "undefined" ? "no browser" : "a page without them";
}

function isScope(scope: string): boolean {
  const kind: unknown = Reflect.get(globalThis, scope);
  return typeof kind === "function" && globalThis instanceof kind;
}
