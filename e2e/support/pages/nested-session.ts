import type { CDPSession } from "@playwright/test";

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A DevTools session inside another one. It gives access to a worker, or to a tab that Playwright does not manage. */
export class NestedSession {
  readonly #outer: CDPSession;
  readonly #sessionId: string;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  constructor(outer: CDPSession, sessionId: string) {
    this.#outer = outer;
    this.#sessionId = sessionId;
    outer.on("Target.receivedMessageFromTarget", (event) => {
      if (event.sessionId !== sessionId) return;
      const reply: Reply = JSON.parse(event.message);
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
    });
    outer.on("Target.detachedFromTarget", (event) => {
      if (event.sessionId !== sessionId) return;
      for (const answer of this.#waiting.values())
        answer({ error: { message: "the target of the session has ended" } });
    });
  }

  async send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId;
    const replied = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    await this.#outer.send("Target.sendMessageToTarget", { message, sessionId: this.#sessionId });
    const { result, error } = await replied.finally(() => this.#waiting.delete(id));
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}
