import type { Browser, CDPSession } from "@playwright/test";

interface Reply {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown }; readonly exceptionDetails?: unknown };
}

/**
 * A tab that Playwright does not manage. Playwright tells its own pages that they are always visible and in focus; this
 * one is hidden when another tab is in front, as a person's would be.
 */
export class UnmanagedTab {
  readonly #browser: CDPSession;
  readonly #targetId: string;
  readonly #sessionId: string;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  private constructor(browser: CDPSession, targetId: string, sessionId: string) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#sessionId = sessionId;
    browser.on("Target.receivedMessageFromTarget", (event) => {
      if (event.sessionId !== sessionId) return;
      const reply: Reply = JSON.parse(event.message);
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
    });
  }

  static async open(browser: Browser, url: string): Promise<UnmanagedTab> {
    const session = await browser.newBrowserCDPSession();
    const { targetId } = await session.send("Target.createTarget", { url });
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    return new UnmanagedTab(session, targetId, sessionId);
  }

  /** Brings a new, empty tab to the front. */
  async hide(): Promise<void> {
    const { targetId } = await this.#browser.send("Target.createTarget", { url: "about:blank" });
    await this.#browser.send("Target.activateTarget", { targetId });
  }

  async show(): Promise<void> {
    await this.#browser.send("Target.activateTarget", { targetId: this.#targetId });
  }

  /** The value of an expression, once its promise has settled. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (result?.exceptionDetails !== undefined) throw new Error(JSON.stringify(result.exceptionDetails));
    return result?.result?.value;
  }

  async close(): Promise<void> {
    await this.#browser.send("Target.closeTarget", { targetId: this.#targetId });
    await this.#browser.detach();
  }

  #send(method: string, params: object): Promise<Reply> {
    const id = ++this.#lastId;
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    return this.#browser
      .send("Target.sendMessageToTarget", { message, sessionId: this.#sessionId })
      .then(() => reply)
      .finally(() => this.#waiting.delete(id));
  }
}
