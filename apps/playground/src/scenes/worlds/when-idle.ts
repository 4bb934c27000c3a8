/** The longest wait for an idle moment, in ms. */
const TIMEOUT_MS = 1000;

/** Resolves when the page has nothing else to do. */
export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no idle callbacks.
    if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve(), { timeout: TIMEOUT_MS });
    else setTimeout(resolve, TIMEOUT_MS);
  });
}
