import { findChromium, SANDBOX_FLAGS } from "../chromium.mjs";
import { Problem } from "../workspace.mjs";

const FLAGS = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/** Chromium, driven by Playwright. */
export const chromium = {
  name: "Chromium",
  programs: ["chromium"],
  packages: ["chromium"],

  /** Returns the same Chromium that the other browser tests use. */
  async find() {
    try {
      return { chromium: await findChromium() };
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  },

  /** @param {Record<string, string>} paths @returns {Promise<import("../../e2e/engines/browser.js").Browser>} */
  async open(paths) {
    const { chromium: launcher } = await import("@playwright/test");
    const executablePath = paths["chromium"] ?? "";
    const browser = await launcher.launch({ executablePath, args: [...FLAGS, ...SANDBOX_FLAGS] });
    const context = await browser.newContext();
    return {
      version: browser.version(),
      openTab: async () => tabOf(await context.newPage()),
      close: () => browser.close(),
    };
  },
};

/** @param {import("@playwright/test").Page} page @returns {import("../../e2e/engines/browser.js").Tab} */
function tabOf(page) {
  return {
    open: (url) => page.goto(url),
    ask: (code) => page.evaluate(code),
    close: () => page.close(),
    async crash() {
      const session = await page.context().newCDPSession(page);
      const crashed = page.waitForEvent("crash");
      // Not awaited: the process that would answer is gone.
      session.send("Page.crash").catch(() => undefined);
      await crashed;
      await page.close();
    },
  };
}
