import type { Browser, CDPSession } from "@playwright/test";
import { NestedSession } from "./nested-session.js";

interface Evaluated {
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: unknown;
}

interface NavigationHistory {
  readonly currentIndex: number;
  readonly entries: readonly { readonly id: number; readonly url: string }[];
}

/**
 * A tab that Playwright does not manage. Playwright's own pages are always visible and focused. This tab is hidden when
 * another tab is in front, as in normal use.
 */
export class UnmanagedTab {
  readonly #browser: CDPSession;
  readonly #targetId: string;
  readonly #session: NestedSession;
  #cover: string | null = null;

  private constructor(browser: CDPSession, targetId: string, sessionId: string) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#session = new NestedSession(browser, sessionId);
  }

  static async open(browser: Browser, url: string): Promise<UnmanagedTab> {
    const session = await browser.newBrowserCDPSession();
    const { targetId } = await session.send("Target.createTarget", { url });
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    return new UnmanagedTab(session, targetId, sessionId);
  }

  /** Hides the tab: brings an empty tab to the front. */
  async hide(): Promise<void> {
    this.#cover ??= (await this.#browser.send("Target.createTarget", { url: "about:blank" })).targetId;
    await this.#browser.send("Target.activateTarget", { targetId: this.#cover });
  }

  async show(): Promise<void> {
    await this.#browser.send("Target.activateTarget", { targetId: this.#targetId });
  }

  /** Freezes the page and its workers, as a browser does with tabs that are hidden for long. Requires a hidden tab. */
  async freeze(): Promise<void> {
    await this.#session.send("Page.setWebLifecycleState", { state: "frozen" });
  }

  async resume(): Promise<void> {
    await this.#session.send("Page.setWebLifecycleState", { state: "active" });
  }

  async visit(url: string): Promise<void> {
    await this.#session.send("Page.navigate", { url });
  }

  /**
   * Returns the current address, from the browser's history. A script in the page could run in the previous page
   * instead, and remove it from the back/forward cache.
   */
  async url(): Promise<string | undefined> {
    const { entries, currentIndex } = await this.#history();
    return entries[currentIndex]?.url;
  }

  async goBack(): Promise<void> {
    const { entries, currentIndex } = await this.#history();
    await this.#session.send("Page.navigateToHistoryEntry", { entryId: entries[currentIndex - 1]?.id });
  }

  /** Evaluates an expression, and resolves with the value of its promise. */
  async evaluate(expression: string): Promise<unknown> {
    const reply: Evaluated = Object(
      await this.#session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }),
    );
    if (reply.exceptionDetails !== undefined) throw new Error(JSON.stringify(reply.exceptionDetails));
    return reply.result?.value;
  }

  async #history(): Promise<NavigationHistory> {
    const history: unknown = await this.#session.send("Page.getNavigationHistory");
    if (!isHistory(history)) throw new Error("expected a navigation history, got none");
    return history;
  }

  async close(): Promise<void> {
    await this.#browser.send("Target.closeTarget", { targetId: this.#targetId });
    await this.#browser.detach();
  }
}

function isHistory(value: unknown): value is NavigationHistory {
  return typeof value === "object" && value !== null && "entries" in value && "currentIndex" in value;
}
