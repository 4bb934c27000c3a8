export { isLockHeld } from "@framebatch/host/page.js";

/**
 * Holds a Web Lock until this worker ends. Pages that wait for it learn of the end.
 * @param onHeld called when the worker holds it
 * @throws when a page takes the lock away, or the browser refuses it
 */
export function holdLock(name: string, onHeld: () => void): Promise<never> {
  return navigator.locks.request(name, () => {
    onHeld();
    return new Promise<never>(() => undefined);
  });
}
