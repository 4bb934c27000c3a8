import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createModelAt } from "../model/create-batched-model.js";
import { createHandledModelAt } from "../../handlers/page/create-handled-model.js";
import { keepModel, keepSource } from "../options/model-source.js";
import { WORKER_MARK } from "../../transport/worker-mark.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

/** A worker that never sends anything. */
class SilentWorker extends EventTarget {
  isTerminated = false;

  constructor() {
    super();
    workers.push(this);
  }

  postMessage(): void {
    // Nobody hears it.
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

const OPTIONS = { cache: false, executionProviders: ["wasm"] } as const;

const workers: SilentWorker[] = [];

beforeEach(() => {
  stubBrowser();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.stubGlobal("Worker", SilentWorker);
  vi.stubGlobal("self", { origin: "https://example.com" });
  vi.stubGlobal(
    "document",
    Object.assign(new EventTarget(), { baseURI: "https://example.com/", visibilityState: "visible" }),
  );
});

afterEach(() => {
  workers.length = 0;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Serves scripts by path. */
function serveScripts(scripts: Readonly<Record<string, string>>): void {
  const headers = { "Content-Type": "text/javascript" };
  vi.stubGlobal("fetch", async (address: string) => {
    const text = scripts[new URL(address).pathname];
    return text === undefined ? new Response(null, { status: 404 }) : new Response(text, { headers });
  });
}

/** Opens a model whose worker has the script `/reader.js`. Returns what has become of it after some time. */
function stateAfter(seconds: number): Promise<string> {
  const worker = () => new Worker("/reader.js", { type: "module" });
  return stateOf(createHandledModelAt(hostSite(), keepSource(doublingModel()), { ...OPTIONS, worker }), seconds);
}

/** The same for an address in the option `workerUrl`. */
function stateWithAddress(workerUrl: string, seconds: number): Promise<string> {
  const opening = createModelAt({ site: hostSite(), share: null }, keepModel(doublingModel()), {
    ...OPTIONS,
    workerUrl,
  });
  return stateOf(opening, seconds);
}

async function stateOf(opening: Promise<unknown>, seconds: number): Promise<string> {
  let state = "loading";
  opening.catch((error: Error) => (state = error.message));
  await vi.advanceTimersByTimeAsync(1000 * seconds);
  return state;
}

const FIX =
  'import { serve } from "framebatch/worker" in it, and call serve({ preprocess, postprocess }) or serve({ run })';
const FOREIGN = `expected the worker's script (the module that the option worker starts) to start, got a script without framebatch, which never answers; ${FIX}`;

describe("a worker that sends nothing", () => {
  // users.md, messages that mislead
  it.each([
    ["alone", { "/reader.js": "onmessage = () => 1;" }],
    [
      "with imports",
      {
        "/reader.js": 'import{a}from"./a.js";a()',
        "/a.js": "import './b.js'; export const a = 1;",
        "/b.js": "Array.from([])",
      },
    ],
    ["with an import on demand", { "/reader.js": 'void import("./a.js")', "/a.js": "" }],
  ])("is told within five seconds if its script has no framebatch, %s", async (_what, scripts) => {
    serveScripts(scripts);
    expect(await stateAfter(5)).toBe(FOREIGN);
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  });

  it("is told within five seconds if workerUrl is the address of another script", async () => {
    serveScripts({ "/app.js": "document.title = 1" });
    expect(await stateWithAddress("/app.js", 5)).toBe(
      "expected the worker's script (https://example.com/app.js) to start, got a script without framebatch, which never answers; check workerUrl; npx framebatch copy <folder> puts framebatch.worker.js into a folder of your site",
    );
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  });

  it.each([
    ["framebatch is in it", { "/reader.js": `"${WORKER_MARK}"` }],
    ["framebatch is in what it imports", { "/reader.js": 'import "./a.js"', "/a.js": `x("${WORKER_MARK}")` }],
    ["it computes what it imports", { "/reader.js": "import(name)" }],
    ["it imports chunks", { "/reader.js": "importScripts(base + chunk)" }],
    ["a file cannot be read", { "/reader.js": 'import "./missing.js"' }],
    ["its script cannot be read", {}],
  ])("has the whole time to start if %s", async (_what, scripts) => {
    serveScripts(scripts);
    expect(await stateAfter(50)).toBe("loading");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  });

  it("is told how to serve handlers when its time has passed", async () => {
    serveScripts({});
    expect(await stateAfter(70)).toBe(
      `expected the worker's script (the module that the option worker starts) to start, got no answer for 60000 ms; ${FIX}`,
    );
  });

  it("has all of its time after a page that was prerendered is activated, since it does not start before", async () => {
    serveScripts({ "/reader.js": `"${WORKER_MARK}"` });
    Object.assign(document, { prerendering: true });
    expect(await stateAfter(600)).toBe("loading");
    Object.assign(document, { prerendering: false });
    document.dispatchEvent(new Event("prerenderingchange"));
    await vi.advanceTimersByTimeAsync(50_000);
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  });

  it("ends at once if the load is aborted while the page is prerendered", async () => {
    Object.assign(document, { prerendering: true });
    const controller = new AbortController();
    const worker = () => new Worker("/reader.js", { type: "module" });
    const options = { cache: false, executionProviders: ["wasm"], worker, signal: controller.signal } as const;
    const load = createHandledModelAt(hostSite(), keepSource(doublingModel()), options);
    void vi.advanceTimersByTimeAsync(1000).then(() => controller.abort(new Error("gone")));
    await expect(load).rejects.toThrow("gone");
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  });
});
