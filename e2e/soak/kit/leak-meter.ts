import type { CDPSession, Page } from "@playwright/test";
import type { Checkpoint } from "./leak-trend.js";
import { NestedSession } from "../../support/pages/nested-session.js";
import { pause } from "./siege.js";

/** Classes of objects that the SDK creates in the page and must release. */
const COUNTED = ["Promise", "MessagePort", "Worker", "AbortSignal"] as const;

/** Time in which a browser sweeps what it has collected, and runs finalizers, in milliseconds. Less makes a reading too high. */
const SWEEP_MS = 150;

type Send = (method: string, params?: object) => Promise<unknown>;

/**
 * Measures the memory and objects of a page and its workers. The figures are meaningful only when no request is open.
 */
export class LeakMeter {
  readonly #page: CDPSession;
  /** The workers by session. A session ends with its worker. */
  readonly #workers = new Map<string, NestedSession>();

  readonly #counted: readonly string[];

  private constructor(page: CDPSession, counted: readonly string[]) {
    this.#page = page;
    this.#counted = counted;
    page.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker") this.#workers.set(sessionId, new NestedSession(page, sessionId));
    });
    page.on("Target.detachedFromTarget", ({ sessionId }) => this.#workers.delete(sessionId));
  }

  /** @param counted classes whose objects are counted. Chromium's tab crashes if it counts those of a page that itself runs WebAssembly. */
  static async attach(page: Page, counted: readonly string[] = COUNTED): Promise<LeakMeter> {
    const session = await page.context().newCDPSession(page);
    const meter = new LeakMeter(session, counted);
    await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return meter;
  }

  async read(requests: number): Promise<Checkpoint> {
    let bytes = await bytesOf((method, params) => sendAny(this.#page, method, params));
    for (const [sessionId, worker] of this.#workers) bytes += await this.#bytesOfWorker(sessionId, worker);
    return { requests, bytes, objects: await this.#count() };
  }

  /** Returns 0 for a worker that ends during the measurement. */
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
    for (const name of this.#counted) counts[name] = await this.#countOf(name);
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

/** Collects garbage until nothing more is freed: what one collection finalizes and sweeps is free only after a later one. */
async function bytesOf(send: Send): Promise<number> {
  let bytes = Infinity;
  for (;;) {
    await send("HeapProfiler.collectGarbage");
    const left = await usedBytes(send);
    if (left >= bytes) return bytes;
    bytes = left;
    await pause(SWEEP_MS);
  }
}

async function usedBytes(send: Send): Promise<number> {
  const usage = await send("Runtime.getHeapUsage");
  return ["usedSize", "backingStorageSize", "embedderHeapUsedSize"]
    .map((part) => Number(Object(usage)[part] ?? 0))
    .reduce((sum, bytes) => sum + bytes, 0);
}

function sendAny(session: CDPSession, method: string, params: object = {}): Promise<unknown> {
  const send: (method: never, params: never) => Promise<unknown> = session.send.bind(session);
  return Reflect.apply(send, session, [method, params]);
}
