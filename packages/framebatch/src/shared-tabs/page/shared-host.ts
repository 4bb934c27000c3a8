import type { Cancel } from "@framebatch/host/clock.js";
import type { TrustedAddress } from "@framebatch/host/page.js";

/** Access to shared workers and Web Locks. As `host.ts`, it reads globals only when they are needed. */

/** A connection to a shared worker. */
export interface SharedConnection {
  readonly port: MessagePort;
  /** Resolves if the browser cannot start the script. */
  readonly failed: Promise<void>;
  /** Closes the connection. The browser ends the worker with its last connection. */
  close(): void;
}

/** Returns why this page cannot use shared workers; `null` if it can. */
export function sharedWorkerObstacle(): string | null {
  if (typeof document === "undefined") return "only a page can start shared workers, and this is a worker";
  if (typeof SharedWorker === "undefined") return "this browser has no shared workers";
  return "locks" in navigator ? null : "Web Locks need a secure context (https or localhost)";
}

/** Returns why the browser refuses Web Locks to this page, as with all cookies blocked; `null` if it does not. */
export async function lockObstacle(): Promise<string | null> {
  try {
    await heldLocks("");
    return null;
  } catch (error) {
    return `the browser refuses Web Locks (${String(error)})`;
  }
}

/** Returns whether this page has what an execution provider needs, see `ProviderTraits`. */
export async function hasDevice(needs: "gpu" | "ml"): Promise<boolean> {
  if (needs === "ml") return "ml" in navigator;
  const gpu: unknown = Reflect.get(navigator, "gpu");
  return isGpu(gpu) && (await gpu.requestAdapter().catch(() => null)) !== null;
}

function isGpu(gpu: unknown): gpu is { requestAdapter(): Promise<unknown> } {
  return typeof gpu === "object" && gpu !== null && "requestAdapter" in gpu;
}

/**
 * Connects to the shared worker of this address and name, which the browser starts if it does not run.
 *
 * A page cannot terminate a shared worker: the browser does, when no document uses it any more, even if the worker
 * hangs. Therefore each connection belongs to a frame of its own, without content, and removing the frame closes the
 * connection.
 *
 * @throws when the browser rejects the address at once
 */
export function connectSharedWorker(address: string | TrustedAddress, name: string): SharedConnection {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  document.documentElement.append(frame);
  try {
    const constructor: typeof SharedWorker = Reflect.get(frame.contentWindow ?? globalThis, "SharedWorker");
    const worker: SharedWorker = Reflect.construct(constructor, [address, { name, type: "module" }]);
    const failed = new Promise<void>((resolve) => worker.addEventListener("error", () => resolve(), { once: true }));
    return { port: worker.port, failed, close: () => frame.remove() };
  } catch (error) {
    frame.remove();
    throw error;
  }
}

/** Takes a Web Lock that nothing else requests. Resolves with the function that releases it. */
export function holdLock(name: string): Promise<Cancel> {
  return new Promise((resolve, reject) => {
    const hold = () => new Promise<void>((release) => resolve(release));
    navigator.locks.request(name, hold).catch(reject);
  });
}

/** Returns the names of the Web Locks that are held and start with `prefix`. */
export async function heldLocks(prefix: string): Promise<readonly string[]> {
  const { held = [] } = await navigator.locks.query();
  return held.flatMap(({ name = "" }) => (name.startsWith(prefix) ? [name] : []));
}

/** Takes a Web Lock from whatever holds it, and releases it. Everything that waits for it continues. */
export function breakLock(name: string): void {
  navigator.locks.request(name, { steal: true }, () => undefined).catch(() => undefined);
}
