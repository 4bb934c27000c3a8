import type { CDPSession } from "@playwright/test";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A target has ended before it has answered a call. */
export class TargetEnded extends Error {
  constructor(method: string) {
    super(`${method}: the target of the session has ended`);
  }
}

/**
 * A DevTools session inside another one. It gives access to a worker, or to a tab that Playwright does not manage. Every
 * call settles: the answer of a target that ends may be lost.
 */
export class NestedSession {
  readonly #outer: CDPSession;
  readonly #sessionId: string;
  /** The calls without an answer. The answer `null` says that the target has ended. */
  readonly #waiting = new Map<number, (answer: Message | null) => void>();
  #hasEnded = false;
  #lastId = 0;

  constructor(outer: CDPSession, sessionId: string) {
    this.#outer = outer;
    this.#sessionId = sessionId;
    outer.on("Target.receivedMessageFromTarget", (event) => {
      if (event.sessionId !== sessionId) return;
      const message: Message = JSON.parse(event.message);
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
      // All that Chromium says of the end of a shared worker: sessions stay attached to it.
      if (message.method === "Inspector.targetCrashed") this.#end();
    });
    outer.on("Target.detachedFromTarget", (event) => {
      if (event.sessionId === sessionId) this.#end();
    });
  }

  /** @throws TargetEnded if the target ends before it has answered */
  async send(method: string, params: object = {}): Promise<unknown> {
    if (this.#hasEnded) throw new TargetEnded(method);
    const id = ++this.#lastId;
    const answered = new Promise<Message | null>((resolve) => this.#waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    await this.#outer.send("Target.sendMessageToTarget", { message, sessionId: this.#sessionId });
    const answer = await answered.finally(() => this.#waiting.delete(id));
    if (answer === null) throw new TargetEnded(method);
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  #end(): void {
    this.#hasEnded = true;
    for (const answer of this.#waiting.values()) answer(null);
  }
}
