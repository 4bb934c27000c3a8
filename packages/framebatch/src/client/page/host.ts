import type { Cancel } from "../../core/clock.js";
import { FramebatchError } from "../../core/errors.js";

/**
 * The place that framebatch runs in. A model is at home on a page and in a dedicated worker, `batched` wherever there is
 * JavaScript. No other file of the client touches what only some of these places have. Globals are read when they are needed:
 * import touches none, and a test may replace them.
 */

/** @throws UNSUPPORTED where there is neither a page nor a dedicated worker. */
export function refuseOtherHosts(): void {
  if (typeof Worker !== "undefined" && (typeof document !== "undefined" || is("DedicatedWorkerGlobalScope"))) return;
  throw new FramebatchError(
    "UNSUPPORTED",
    `expected a page or a dedicated worker of a browser with Web Workers, got ${otherHost()}; create the model there`,
  );
}

function otherHost(): string {
  if (is("SharedWorkerGlobalScope")) return "a shared worker";
  if (is("ServiceWorkerGlobalScope")) return "a service worker";
  return typeof document === "undefined" ? "no browser" : "a page without them";
}

function is(scope: string): boolean {
  const kind: unknown = Reflect.get(globalThis, scope);
  return typeof kind === "function" && globalThis instanceof kind;
}

/** A tab whose timers come as late as a minute. A worker does not know, and its timers come on time. */
export function isHidden(): boolean {
  return typeof document !== "undefined" && document.visibilityState === "hidden";
}

export function onVisibilityChange(callback: () => void): Cancel {
  if (typeof document === "undefined") return () => undefined;
  document.addEventListener("visibilitychange", callback);
  return () => document.removeEventListener("visibilitychange", callback);
}

/** A page that is left may come back as it was. `onLeave` comes before the change of visibility that leaving brings with it. */
export function onPageLeft(onLeave: () => void, onReturn: () => void): Cancel {
  if (typeof document === "undefined") return () => undefined;
  addEventListener("pagehide", onLeave);
  addEventListener("pageshow", onReturn);
  return () => {
    removeEventListener("pagehide", onLeave);
    removeEventListener("pageshow", onReturn);
  };
}

/** When the current frame began, on the time line of `performance.now()`; `null` where nothing paints. */
export function frameStartMs(): number | null {
  const time = typeof document === "undefined" ? null : document.timeline?.currentTime;
  return typeof time === "number" ? time : null;
}

/** What relative addresses are resolved against: the page, or the worker's script; its origin where that is a blob. */
export function baseUrl(): string {
  if (typeof document !== "undefined") return document.baseURI;
  return location.protocol === "blob:" ? `${location.origin}/` : location.href;
}

/** The address of the classic script that runs; only while it runs for the first time, and only on a page. */
export function currentScriptUrl(): string {
  const script = typeof document === "undefined" ? null : document.currentScript;
  return script !== null && "src" in script && script.src !== "" ? script.src : baseUrl();
}

export function isOwnOrigin(url: string): boolean {
  return new URL(url).origin === location.origin;
}

/** A `TrustedScriptURL`, by what it shares with `URL`: the library of types does not know it. */
export interface TrustedAddress {
  toJSON(): string;
}

export interface TrustedTypes {
  isScriptURL(value: unknown): boolean;
  createPolicy(name: string, rules: { createScriptURL(url: string): string | null }): ScriptPolicy;
}

export interface ScriptPolicy {
  createScriptURL(url: string): TrustedAddress;
}

export function trustedTypes(): TrustedTypes | undefined {
  return Reflect.get(globalThis, "trustedTypes");
}

/** Called by reflection, since the library of types knows no trusted address. */
export function startModuleWorker(address: string | TrustedAddress): Worker {
  return Reflect.construct(Worker, [address, { type: "module" }]);
}

/** Resolves once nobody holds the Web Lock, and lets it go at once. Rejects when `signal` aborts, and where there are no locks. */
export async function lockReleased(lock: string, signal: AbortSignal): Promise<void> {
  await navigator.locks.request(lock, { signal }, () => undefined);
}

interface ImmediateHost {
  setImmediate(callback: () => void): unknown;
}

/** Node's way to a task that follows at once: it lets the process end, which an open message port does not. `null` in browsers. */
export function immediateHost(): ImmediateHost | null {
  const host: object = globalThis;
  return hasImmediate(host) ? host : null;
}

function hasImmediate(host: object): host is ImmediateHost {
  return "setImmediate" in host && typeof host.setImmediate === "function";
}

/** Reports an error as an uncaught one is: to the console, and to listeners for `error`. Node has no way to. */
export function reportUncaught(error: unknown): void {
  if (typeof reportError === "function") reportError(error);
}
