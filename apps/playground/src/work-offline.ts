/** Maximum time to wait for the service worker on a first visit, in ms. */
const CONTROL_MS = 5000;

/**
 * Registers the service worker that caches the page's own files, so that the page works offline from the second visit
 * on. framebatch itself caches the models. Resolves when the service worker controls the page, or after `CONTROL_MS`:
 * the service worker caches ONNX Runtime's files as the page requests them, so these requests should come afterwards.
 * Never rejects.
 */
export async function workOffline(): Promise<void> {
  // Vite's development server sends changing files, which must not be cached.
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const late = new Promise<void>((resolve) => setTimeout(resolve, CONTROL_MS));
  // Registration fails in some private windows and over plain HTTP. The page then works only online.
  await Promise.race([late, register().catch(() => {})]);
}

async function register(): Promise<void> {
  const { serviceWorker } = navigator;
  const controlled = new Promise<void>((resolve) =>
    serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true }),
  );
  const { active } = await serviceWorker.register("./service-worker.js", { updateViaCache: "none" });
  // An earlier service worker already controls the page, unless the visitor forced a reload.
  if (active === null && serviceWorker.controller === null) await controlled;
}
