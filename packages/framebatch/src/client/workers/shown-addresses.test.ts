import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelOptions } from "../options/options.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { shownAddress } from "@framebatch/batcher/errors/description.js";
import { creationError } from "../../worker/ort/runtime-error.js";
import { importRuntime } from "../../worker/ort/runtime-handover.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

const SECRET = "SECRET";
const workerUrl = `https://example.com/framebatch.worker.js?token=${SECRET}`;

/** A worker that fails as browsers fail one. */
type Failure = (fire: (event: Event) => void) => void;

const FAILURES: readonly (readonly [how: string, Failure])[] = [
  [
    "that the browser refuses to start",
    () => {
      throw new DOMException(`Script at '${workerUrl}' cannot be accessed from origin 'null'.`, "SecurityError");
    },
  ],
  ["whose script is missing", (fire) => fire(new Event("error"))],
  [
    "whose script throws",
    (fire) => {
      const message = `Uncaught NetworkError: The script at '${workerUrl}' failed to load.`;
      fire(Object.assign(new Event("error"), { message }));
    },
  ],
];

beforeEach(() => {
  stubBrowser();
  vi.stubGlobal("self", globalThis);
  vi.stubGlobal("origin", "https://example.com");
  vi.stubGlobal("location", new URL("https://example.com/"));
  vi.stubGlobal("fetch", async () => new Response(null, { status: 404 }));
});

afterEach(() => vi.unstubAllGlobals());

/** Replaces `Worker` by one that fails. */
function failWorkers(failure: Failure): void {
  class FailingWorker extends EventTarget {
    constructor() {
      super();
      failure((event) => queueMicrotask(() => this.dispatchEvent(event)));
    }
    postMessage(): void {
      // Nobody hears it.
    }
    terminate(): void {
      // It does not run.
    }
  }
  vi.stubGlobal("Worker", FailingWorker);
}

/** Everything that an error says, except its stacks, which name the scripts that run. */
function said(error: unknown): string {
  return JSON.stringify(encodeError(error), (key, value: unknown) => (key === "stack" ? undefined : value));
}

async function failureOf(loading: Promise<unknown>): Promise<unknown> {
  return loading.then(
    () => expect.unreachable("the model must not load"),
    (error: unknown) => error,
  );
}

describe("an error about an address", () => {
  // defect E16
  it.each(FAILURES)("names a worker %s without the query of workerUrl", async (_how, failure) => {
    failWorkers(failure);
    const options: ModelOptions = { workerUrl, executionProviders: ["wasm"] };
    const error = await failureOf(modelInNode(new Uint8Array(doublingModel()), options));
    expect(error).toMatchObject({
      code: "WORKER_LOAD_FAILED",
      details: { script: "https://example.com/framebatch.worker.js" },
    });
    expect(said(error)).toContain("https://example.com/framebatch.worker.js");
    expect(said(error)).not.toContain(SECRET);
  });

  // defect E16
  it("names ONNX Runtime's WebAssembly without the query of wasmPaths", () => {
    const wasm = `https://example.com/ort.wasm?token=${SECRET}`;
    const thrown = new Error(`no available backend found. ERR: [wasm] failed to load wasm binary file at '${wasm}'`);
    const error = creationError(thrown, wasm);
    expect(error).toMatchObject({ code: "RUNTIME_LOAD_FAILED" });
    expect(error.message).toContain("https://example.com/ort.wasm");
    expect(said(error)).not.toContain(SECRET);
  });

  // defect E16
  it("names ONNX Runtime's script without a query", async () => {
    const script = `https://example.com/framebatch.ort.wasm.js?token=${SECRET}`;
    const error = await failureOf(
      importRuntime({ script, wasm: "https://example.com/ort.wasm" }, false, () => undefined),
    );
    expect(error).toMatchObject({
      code: "RUNTIME_LOAD_FAILED",
      details: { script: "https://example.com/framebatch.ort.wasm.js" },
    });
    expect(said(error)).not.toContain(SECRET);
  });

  it.each([
    ["https://me:pass@example.com/a/b.js?x=1#y", "https://example.com/a/b.js"],
    ["blob:https://example.com/0f-1", "a blob: address"],
    ["data:text/javascript,import%20%22https://example.com/?x=1%22", "a data: address"],
    ["chrome-extension://abc/b.js?x=1", "chrome-extension://abc/b.js"],
    [
      "Script at 'https://example.com/b.js?x=1' failed (see https://example.com/?y).",
      "Script at 'https://example.com/b.js' failed (see https://example.com/).",
    ],
    ["What is this? It has no address: none", "What is this? It has no address: none"],
  ])("shows %s as %s", (text, shown) => {
    expect(shownAddress(text)).toBe(shown);
  });
});
