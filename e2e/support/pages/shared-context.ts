import type { Browser, BrowserContext, Page } from "@playwright/test";
import type { TestedProvider } from "../tested-provider.js";

const VIEWPORT = { width: 1100, height: 900 };

/** The builds of ONNX Runtime that most pages load. */
const BUILDS: Readonly<Record<TestedProvider, readonly string[]>> = {
  wasm: ["/sdk/ort-wasm-simd-threaded.wasm"],
  webgpu: ["/sdk/ort-wasm-simd-threaded.jspi.wasm", "/sdk/ort-wasm-simd-threaded.asyncify.bin"],
};

/**
 * Opens a page in its own context, which holds the compiled modules of ONNX Runtime. The pages that it opens run in the
 * same process, where the browser reuses a compiled module with the same bytes.
 */
export async function openOpener(browser: Browser, url: string, provider: TestedProvider): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const opener = await context.newPage();
  await opener.goto(`${url}/blank.html`);
  await opener.evaluate(async (builds) => {
    const compiled = builds.map(async (build) => {
      const { body } = await fetch(build);
      const inflated = build.endsWith(".bin") ? body?.pipeThrough(new DecompressionStream("gzip")) : body;
      return WebAssembly.compileStreaming(new Response(inflated, { headers: { "Content-Type": "application/wasm" } }));
    });
    Object.assign(window, { compiled: await Promise.all(compiled) });
  }, BUILDS[provider]);
  return opener;
}

export async function openFrom(opener: Page, context: BrowserContext): Promise<Page> {
  const [page] = await Promise.all([context.waitForEvent("page"), opener.evaluate(() => void open("about:blank"))]);
  return page;
}

/** Closes every page except the opener, deletes their storage, and resets routes and the offline mode. */
export async function closeOthers(opener: Page): Promise<void> {
  const context = opener.context();
  const others = context.pages().filter((page) => page !== opener);
  const origins = new Set(others.map((page) => new URL(page.url()).origin));
  await Promise.all(others.map((page) => page.close()));
  await context.unrouteAll({ behavior: "ignoreErrors" });
  await context.setOffline(false);
  const session = await context.newCDPSession(opener);
  for (const origin of origins) {
    if (origin !== "null") await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  }
  await session.detach();
}
