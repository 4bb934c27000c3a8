/** Addresses of the page's own files, relative to this script; the build writes them in. */
declare const OWN_FILES: readonly string[];

const CACHE = "framebatch-playground";

/** Files whose names carry their hash: they never change. */
const UNCHANGING = /\/assets\//;

/** ONNX Runtime's, of which a browser needs one of three, 14 to 27 MB each: kept only once it has been asked for. */
const KEPT_ON_DEMAND = /\.wasm$/;

const PAGE = addressOf("./");
const own = new Set([PAGE, ...OWN_FILES.map((file) => addressOf(file))]);

if (self instanceof ServiceWorkerGlobalScope) listen(self);

function listen(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
  worker.addEventListener("activate", (event) => {
    event.waitUntil(worker.clients.claim());
    // Not waited for: what the page fetches first comes before what it may need some other day.
    void keepFiles();
  });
  worker.addEventListener("fetch", (event) => {
    const { method, mode, url } = event.request;
    const file = mode === "navigate" ? pageAt(url) : url;
    if (method !== "GET" || !own.has(file)) return;
    event.respondWith(UNCHANGING.test(file) ? keptFile(file) : newestFile(event.request, file));
  });
}

/** Forgets the files of earlier builds, and keeps those of this one. */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  await Promise.all([...kept].filter((url) => !own.has(url)).map((url) => cache.delete(url)));
  const isMissing = (url: string): boolean =>
    UNCHANGING.test(url) ? !KEPT_ON_DEMAND.test(url) && !kept.has(url) : true;
  await Promise.allSettled([...own].filter(isMissing).map((url) => cache.add(url)));
}

/** From the network wherever there is one: this page never hides what is served at its address next. */
async function newestFile(request: Request, file: string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(file);
    if (kept === undefined) throw error;
    return kept;
  }
}

async function keptFile(file: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(file);
  if (kept !== undefined) return kept;
  const response = await fetch(file);
  if (response.ok) await cache.put(file, response.clone());
  return response;
}

/** The page is one, whatever its settings. */
function pageAt(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function addressOf(file: string): string {
  return new URL(file, self.location.href).href;
}
