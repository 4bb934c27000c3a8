import { afterEach, expect, test, vi } from "vitest";

/** As a text, since the types of a page and of a service worker exclude each other. */
const WORKER = new URL("../service-worker/service-worker.ts", import.meta.url).href;

const SITE = "https://example.com/assets/playground/";

interface Fetched {
  readonly request: { readonly method: string; readonly mode: string; readonly url: string };
  readonly respondWith: (response: Promise<Response>) => void;
}

class Scope extends EventTarget {
  readonly location = { href: `${SITE}service-worker.js` };
  readonly clients = { claim: () => Promise.resolve() };
  skipWaiting(): Promise<void> {
    return Promise.resolve();
  }
}

/** Starts the service worker of a build on a site, with a cache, or with those by their names. */
async function started(cache: Partial<Cache> | ((name: string) => Partial<Cache>), site = SITE) {
  const scope = Object.assign(new Scope(), { location: { href: `${site}service-worker.js` } });
  const open = (name: string) => Promise.resolve(typeof cache === "function" ? cache(name) : cache);
  vi.resetModules();
  vi.stubGlobal("OWN_FILES", ["assets/index-1.js", "icon.svg"]);
  vi.stubGlobal("ServiceWorkerGlobalScope", Scope);
  vi.stubGlobal("self", scope);
  const match = () => Promise.resolve(new Response("kept"));
  vi.stubGlobal("caches", { open, match, delete: () => Promise.resolve(true) });
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("from the network")));
  await import(WORKER);
  const dispatch = (type: string, more: object): boolean => scope.dispatchEvent(Object.assign(new Event(type), more));
  return {
    activate: () => dispatch("activate", { waitUntil: () => {} }),
    fetch: (request: Fetched["request"]): Promise<string> =>
      new Promise((resolve, reject) => {
        const event: Fetched = {
          request,
          respondWith: (response) => void response.then(async (found) => resolve(await found.text())).catch(reject),
        };
        dispatch("fetch", event);
      }),
  };
}

afterEach(() => vi.unstubAllGlobals());

test("a page gets its files although the disk is full", async () => {
  const full = { match: () => Promise.resolve(undefined), put: () => Promise.reject(new Error("QuotaExceededError")) };
  const worker = await started(full);
  const request = { method: "GET", mode: "cors", url: `${SITE}assets/index-1.js` };
  expect(await worker.fetch(request)).toBe("from the network");
});

test("the page itself comes from the network, in any folder", async () => {
  const worker = await started({ match: () => Promise.resolve(new Response("an earlier build")) });
  const request = { method: "GET", mode: "navigate", url: `${SITE}?scene=digits` };
  expect(await worker.fetch(request)).toBe("from the network");
});

test("the page is kept as the server has it now, not as the browser has it", async () => {
  const added: (readonly [url: string, cache: string])[] = [];
  const worker = await started({
    keys: () => Promise.resolve([]),
    add: (request) => {
      if (request instanceof Request) added.push([request.url, request.cache]);
      return Promise.resolve();
    },
  });
  worker.activate();
  await expect.poll(() => added).toHaveLength(3);
  expect(added).toContainEqual([SITE, "no-cache"]);
  expect(added).toContainEqual([`${SITE}assets/index-1.js`, "default"]);
});

test("two playgrounds of one origin keep their files, also if one is in a folder of the other", async () => {
  const files = new Map<string, Set<string>>();
  const cacheOf = (name: string): Partial<Cache> => {
    const urls = files.get(name) ?? new Set<string>();
    files.set(name, urls);
    return {
      keys: () => Promise.resolve(Array.from(urls, (url) => new Request(url))),
      delete: (url) => Promise.resolve(typeof url === "string" && urls.delete(url)),
      add: (request) => Promise.resolve(void (request instanceof Request && urls.add(request.url))),
    };
  };
  const sites = [SITE, `${SITE}next/`];
  const kept = () => [...files.values()].flatMap((urls) => [...urls]);
  for (const [at, site] of sites.entries()) {
    (await started(cacheOf, site)).activate();
    await expect.poll(kept).toHaveLength(3 * (at + 1));
  }
  (await started(cacheOf, SITE)).activate();
  await expect.poll(kept).toHaveLength(6);
  for (const site of sites) expect(kept()).toContain(`${site}assets/index-1.js`);
});
