/** Longest wait for the service worker of a first visit. */
const CONTROL_MS = 5000;

/**
 * Registers the service worker that keeps the page's own files, so that the page opens without a network from its second
 * visit on; models are kept by framebatch itself. Resolves once the service worker sees what the page fetches, or when
 * that takes too long: ONNX Runtime's files are kept as they pass, so they should not pass before. Never rejects.
 */
export async function workOffline(): Promise<void> {
  // Vite's development server answers with other files each time: nothing may stand between it and the page.
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const late = new Promise<void>((resolve) => setTimeout(resolve, CONTROL_MS));
  // It is refused in some private windows, and over plain HTTP. The page works, with a network.
  await Promise.race([late, register().catch(() => {})]);
}

async function register(): Promise<void> {
  const { serviceWorker } = navigator;
  const controlled = new Promise<void>((resolve) =>
    serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true }),
  );
  const { active } = await serviceWorker.register("./service-worker.js", { updateViaCache: "none" });
  // One that was there before controls the page already, unless the visitor has reloaded without it.
  if (active === null && serviceWorker.controller === null) await controlled;
}
