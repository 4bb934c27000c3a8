import type { Browser, BrowserContext, Page } from "@playwright/test";
import { expect } from "../test.js";
import { NestedSession, TargetEnded } from "./nested-session.js";

/** Opens a test page in a process of its own. */
export async function openTab(context: BrowserContext, site: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${site}/harness.html`);
  await page.waitForFunction(() => "harness" in window);
  return page;
}

/** Opens several test pages, each in a process of its own. */
export async function openTabs(context: BrowserContext, site: string, count: number): Promise<Page[]> {
  return Promise.all(Array.from({ length: count }, () => openTab(context, site)));
}

/** The shared workers of a browser. */
export class SharedWorkers {
  readonly #browser: Browser;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Resolves when there are this many. */
  async untilCount(count: number): Promise<void> {
    await expect.poll(async () => (await this.#ids()).length).toBe(count);
  }

  /** Evaluates an expression in the worker that was started last. Does not wait for a promise that it returns. */
  async evaluate(expression: string): Promise<void> {
    const session = await this.#browser.newBrowserCDPSession();
    const targetId = (await this.#ids()).at(-1);
    const { sessionId } = await session.send("Target.attachToTarget", { targetId: targetId ?? "", flatten: false });
    try {
      await new NestedSession(session, sessionId).send("Runtime.evaluate", { expression });
    } finally {
      await session.detach();
    }
  }

  /** Ends the worker that was started last by an expression. Its answer may be lost with the worker. */
  async end(expression: string): Promise<void> {
    await this.evaluate(expression).catch((error: unknown) => {
      if (!(error instanceof TargetEnded)) throw error;
    });
  }

  async #ids(): Promise<string[]> {
    const session = await this.#browser.newBrowserCDPSession();
    const { targetInfos } = await session.send("Target.getTargets");
    await session.detach();
    return targetInfos.filter(({ type }) => type === "shared_worker").map(({ targetId }) => targetId);
  }
}

/** Crashes a page's process. */
export async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  // Not awaited: the process that would answer is gone.
  session.send("Page.crash").catch(() => undefined);
  await crashed;
}
