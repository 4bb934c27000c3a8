import type { Cancel } from "./clock.js";

/**
 * Returns true in a hidden tab, whose timers can fire up to a minute late. Returns false in a worker: it cannot see the
 * visibility, and its timers are not throttled.
 */
export function isHidden(): boolean {
  return typeof document !== "undefined" && document.visibilityState === "hidden";
}

/** Calls back each time the tab is hidden or shown, until cancelled. Never calls back where there is no page. */
export function onVisibilityChange(callback: () => void): Cancel {
  if (typeof document === "undefined") return () => undefined;
  const page = document;
  page.addEventListener("visibilitychange", callback);
  return () => page.removeEventListener("visibilitychange", callback);
}

/**
 * Calls `onLeave` when the page is left, and `onReturn` when it is shown again, for example from the back/forward
 * cache, until cancelled. `onLeave` runs before the `visibilitychange` event that leaving causes.
 */
export function onPageLeft(onLeave: () => void, onReturn: () => void): Cancel {
  if (typeof document === "undefined") return () => undefined;
  addEventListener("pagehide", onLeave);
  addEventListener("pageshow", onReturn);
  return () => {
    removeEventListener("pagehide", onLeave);
    removeEventListener("pageshow", onReturn);
  };
}

/**
 * Resolves when the visitor comes to this page; `null` if it is not prerendered. While it is, its scripts run and its
 * time passes, but the browser starts none of its workers.
 */
export function untilActivated(): Promise<void> | null {
  if (typeof document === "undefined" || Reflect.get(document, "prerendering") !== true) return null;
  return new Promise((resolve) => document.addEventListener("prerenderingchange", () => resolve(), { once: true }));
}

/** Returns true if the browser knows that it has no network. */
export function isOffline(): boolean {
  return typeof navigator !== "undefined" && "onLine" in navigator && !navigator.onLine;
}

/**
 * Returns the start of the current frame, in milliseconds on the time line of `performance.now()`; `null` where nothing
 * paints.
 */
export function frameStartMs(): number | null {
  const time = typeof document === "undefined" ? null : document.timeline?.currentTime;
  return typeof time === "number" ? time : null;
}

/**
 * Returns true for an absolute URL of the caller's own origin. In a sandboxed frame, no URL is: the frame's origin is
 * not that of its address.
 */
export function isOwnOrigin(url: string): boolean {
  return new URL(url).origin === self.origin;
}

/** Returns the origin of the page or the worker; `null` where there is none, as in Node. */
export function ownOrigin(): string | null {
  return typeof self === "undefined" ? null : self.origin;
}

/** Returns true in a frame with `sandbox` and without `allow-same-origin`, and in its workers. */
export function isSandboxed(): boolean {
  return self.origin === "null";
}

/**
 * A `TrustedScriptURL` of the Trusted Types API, described by the method that it shares with `URL`, because
 * TypeScript's library does not declare it.
 */
export interface TrustedAddress {
  /** Returns the address as a string. */
  toJSON(): string;
}

/** The part of `globalThis.trustedTypes` that framebatch uses. */
interface TrustedTypes {
  isScriptURL(value: unknown): boolean;
  createPolicy(name: string, rules: { createScriptURL(url: string): string | null }): ScriptPolicy;
}

/** A Trusted Types policy for script addresses. */
export interface ScriptPolicy {
  createScriptURL(url: string): TrustedAddress;
}

/** Returns the Trusted Types API; `undefined` where the browser has none. */
export function trustedTypes(): TrustedTypes | undefined {
  return Reflect.get(globalThis, "trustedTypes");
}

/** Returns true for a `TrustedScriptURL`. */
export function isTrustedAddress(value: unknown): value is TrustedAddress {
  return trustedTypes()?.isScriptURL(value) === true;
}

/** Starts a module worker. Uses reflection, because TypeScript's `Worker` takes no trusted address. */
export function startModuleWorker(address: string | TrustedAddress): Worker {
  return Reflect.construct(Worker, [address, { type: "module" }]);
}

/**
 * Resolves when the Web Lock is free, and releases it at once. Rejects when `signal` aborts, or when the browser has no
 * Web Locks.
 */
export function lockReleased(lock: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // The request itself rejects if another page takes the lock away at this moment.
    navigator.locks.request(lock, { signal }, () => resolve()).catch(reject);
  });
}

/**
 * Resolves with whether something holds a Web Lock. In Chromium, threads that started before and after the data of the
 * site was cleared (`Clear-Site-Data`, DevTools) do not see each other's locks. Rejects where there are no Web Locks.
 */
export async function isLockHeld(lock: string): Promise<boolean> {
  return navigator.locks.request(lock, { ifAvailable: true }, (granted) => granted === null);
}

/** Takes a Web Lock if it is free. Returns what releases it, or `null`. Without Web Locks, every page has its own. */
export function holdIfFree(lock: string): Promise<(() => void) | null> {
  const locks: LockManager | undefined = typeof navigator === "undefined" ? undefined : navigator.locks;
  if (locks === undefined) return Promise.resolve(() => undefined);
  return new Promise((resolve) => {
    const hold = (granted: Lock | null) =>
      granted === null ? resolve(null) : new Promise<void>((release) => resolve(() => release()));
    locks.request(lock, { ifAvailable: true }, hold).catch(() => resolve(null));
  });
}

/** Returns the memory of the device in GiB, rounded by the browser; `null` outside Chromium. */
export function memoryGiB(): number | null {
  const found: unknown = typeof navigator === "undefined" ? null : Reflect.get(navigator, "deviceMemory");
  return typeof found === "number" ? found : null;
}

/** The network connection, as far as the browser tells. */
interface Connection {
  /** Whether the visitor wants little data to be transferred. */
  readonly savesData: boolean;
  /** Bytes per millisecond; `null` if unknown. */
  readonly bytesPerMs: number | null;
}

/** Returns the properties of the network connection. Only Chromium tells. */
export function connection(): Connection {
  const found: unknown = typeof navigator === "undefined" ? null : Reflect.get(navigator, "connection");
  if (typeof found !== "object" || found === null) return { savesData: false, bytesPerMs: null };
  const megabits: unknown = Reflect.get(found, "downlink");
  return {
    savesData: Reflect.get(found, "saveData") === true,
    bytesPerMs: typeof megabits === "number" && megabits > 0 ? megabits * 125 : null,
  };
}

/**
 * Reports an error as an uncaught one: to the console and to listeners for `error`. Does nothing where the host has no
 * `reportError`, as in Node.
 */
export function reportUncaught(error: unknown): void {
  if (typeof reportError === "function") reportError(error);
}
