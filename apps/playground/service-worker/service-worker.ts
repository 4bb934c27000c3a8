/** URLs of the page's own files, relative to this script. The build inserts them. */
declare const OWN_FILES: readonly string[];

/** The cache that earlier builds had, all playgrounds of an origin together. */
const COMMON_CACHE = "framebatch-playground";

/** Where files with a content hash in their names are. They never change. */
const UNCHANGING = addressOf("./assets/");

/**
 * ONNX Runtime's files. A browser needs one of three, 7 to 17 MB each, so each is cached only after the first request
 * for it.
 */
const KEPT_ON_DEMAND = /\.(wasm|bin)$/;

const PAGE = addressOf("./");
/** A cache belongs to the origin: each playground has one of its own. */
const CACHE = `${COMMON_CACHE} ${PAGE}`;
const own = new Set([PAGE, ...OWN_FILES.map((file) => addressOf(file))]);

if (self instanceof ServiceWorkerGlobalScope) listen(self);

function listen(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
  worker.addEventListener("activate", (event) => {
    event.waitUntil(worker.clients.claim());
    // Not awaited: the page's first requests come before files that it may need later.
    void keepFiles();
  });
  worker.addEventListener("fetch", (event) => {
    const { method, mode, url } = event.request;
    const file = mode === "navigate" ? pageAt(url) : url;
    if (method !== "GET" || !own.has(file)) return;
    event.respondWith(isUnchanging(file) ? keptFile(file) : newestFile(event.request, file));
  });
}

/** Deletes the cached files of earlier builds and caches those of this build. */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  await caches.delete(COMMON_CACHE);
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  await Promise.all([...kept].filter((url) => !own.has(url)).map((url) => cache.delete(url)));
  const isMissing = (url: string): boolean => (isUnchanging(url) ? !KEPT_ON_DEMAND.test(url) && !kept.has(url) : true);
  // The browser's own cache may still have the page of an earlier build, whose files are deleted.
  const newest = (url: string): Request => new Request(url, { cache: isUnchanging(url) ? "default" : "no-cache" });
  await Promise.allSettled([...own].filter(isMissing).map((url) => cache.add(newest(url))));
}

/** Prefers the network, so that this page never hides a site that is later served at the same address. */
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
  // The page gets the file also if the disk is full.
  if (response.ok) await cache.put(file, response.clone()).catch(() => {});
  return response;
}

/** Removes the query: the page is the same for all settings. */
function pageAt(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function isUnchanging(url: string): boolean {
  return url.startsWith(UNCHANGING);
}

function addressOf(file: string): string {
  return new URL(file, self.location.href).href;
}
