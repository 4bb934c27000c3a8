/**
 * Holds a Web Lock until this worker is no more, however it ends; the page hears of an end by waiting for the lock. `onHeld`
 * hears its name. Only in Chromium, which alone is known to keep such a page for the way back all the same: Firefox (153) keeps
 * none that holds a lock, and coming back at once is worth more than noticing a rare end some seconds sooner. Not where there
 * are no locks, as on a page that came over http.
 */
export function holdLifeline(onHeld: (lock: string) => void): void {
  if (!("locks" in navigator) || !("userAgentData" in navigator)) return;
  const hold = (name: string) => {
    onHeld(name);
    return new Promise<never>(() => undefined);
  };
  const name = `framebatch-${crypto.randomUUID()}`;
  navigator.locks.request(name, () => hold(name)).catch(() => undefined);
}
