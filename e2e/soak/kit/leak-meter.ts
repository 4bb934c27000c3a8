import type { CDPSession, Page } from "@playwright/test";
import type { Checkpoint } from "./leak-trend.js";
import { NestedSession } from "../../support/nested-session.js";

/** Classes of the page whose objects the SDK makes and must let go. */
const COUNTED = ["Promise", "MessagePort", "Worker", "AbortSignal"] as const;

type Send = (method: string, params?: object) => Promise<unknown>;

/** Reads what a page and its worker hold. Only at rest does it mean anything. */
export class LeakMeter {
  readonly #page: CDPSession;
  /** By session; a worker that has ended takes its session with it. */
  readonly #workers = new Map<string, NestedSession>();

  private constructor(page: CDPSession) {
    this.#page = page;
    page.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker") this.#workers.set(sessionId, new NestedSession(page, sessionId));
    });
    page.on("Target.detachedFromTarget", ({ sessionId }) => this.#workers.delete(sessionId));
  }

  static async attach(page: Page): Promise<LeakMeter> {
    const session = await page.context().newCDPSession(page);
    const meter = new LeakMeter(session);
    await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return meter;
  }

  async read(requests: number): Promise<Checkpoint> {
    let bytes = await bytesOf((method, params) => sendAny(this.#page, method, params));
    for (const [sessionId, worker] of this.#workers) bytes += await this.#bytesOfWorker(sessionId, worker);
    return { requests, bytes, objects: await this.#count() };
  }

  /** One that ends while it is asked holds nothing any more. */
  async #bytesOfWorker(sessionId: string, worker: NestedSession): Promise<number> {
    try {
      return await bytesOf((method, params) => worker.send(method, params));
    } catch (error) {
      if (this.#workers.has(sessionId)) throw error;
      return 0;
    }
  }

  async #count(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const name of COUNTED) counts[name] = await this.#countOf(name);
    return counts;
  }

  async #countOf(name: string): Promise<number> {
    const page = this.#page;
    const group = { objectGroup: "leak-meter" };
    const { result } = await page.send("Runtime.evaluate", {
      expression: `${name}.prototype`,
      ...group,
    });
    const { objects } = await page.send("Runtime.queryObjects", { prototypeObjectId: result.objectId ?? "", ...group });
    const { result: length } = await page.send("Runtime.callFunctionOn", {
      functionDeclaration: "function () { return this.length; }",
      objectId: objects.objectId ?? "",
      returnByValue: true,
    });
    await page.send("Runtime.releaseObjectGroup", group);
    return Number(length.value);
  }
}

async function bytesOf(send: Send): Promise<number> {
  // Twice: what the first round finalizes, the second one frees.
  await send("HeapProfiler.collectGarbage");
  await send("HeapProfiler.collectGarbage");
  const usage = await send("Runtime.getHeapUsage");
  return ["usedSize", "backingStorageSize", "embedderHeapUsedSize"]
    .map((part) => Number(Object(usage)[part] ?? 0))
    .reduce((sum, bytes) => sum + bytes, 0);
}

function sendAny(session: CDPSession, method: string, params: object = {}): Promise<unknown> {
  const send: (method: never, params: never) => Promise<unknown> = session.send.bind(session);
  return Reflect.apply(send, session, [method, params]);
}
