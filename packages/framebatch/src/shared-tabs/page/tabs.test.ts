import * as ort from "onnxruntime-web/wasm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BatchedModel } from "../../client/options/model.js";
import { channelSite } from "../../../test/support/channel-worker.js";
import { doublingModel, squaringModel } from "../../../test/support/doubling-model.js";
import { until } from "@framebatch/host/test/settling.js";
import { TabsInNode } from "../../../test/support/tabs-in-node.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

type Values = ort.InferenceSession.OnnxValueMapType;

/** Handles a run's feeds. `run` runs the model with them. */
type RunFault = (feeds: Values, run: () => Promise<Values>) => Promise<Values>;

/** Replaces the runs of all sessions that are created from now on. */
function replaceRuns(fault: RunFault): void {
  const create = ort.InferenceSession.create.bind(ort.InferenceSession);
  vi.spyOn(ort.InferenceSession, "create").mockImplementation(async (bytes: Uint8Array, options) => {
    const session = await create(bytes, options);
    const run = session.run.bind(session);
    return Object.assign(session, { run: (feeds: Values) => fault(feeds, () => run(feeds)) });
  });
}

/** Calls `first` before ONNX Runtime makes the first session of the model. */
function beforeFirstSession(first: () => Promise<void>): void {
  let isFirst = true;
  const create = ort.InferenceSession.create.bind(ort.InferenceSession);
  vi.spyOn(ort.InferenceSession, "create").mockImplementation(async (bytes: Uint8Array, options) => {
    if (isFirst && bytes.byteLength === doublingModel().byteLength) {
      isFirst = false;
      await first();
    }
    return create(bytes, options);
  });
}

/** Lets the first sessions of the model never be made. Returns how many were begun. */
function holdFirstSessions(count: number): () => number {
  let begun = 0;
  const create = ort.InferenceSession.create.bind(ort.InferenceSession);
  vi.spyOn(ort.InferenceSession, "create").mockImplementation(async (bytes: Uint8Array, options) => {
    if (bytes.byteLength === doublingModel().byteLength && (begun += 1) <= count) await new Promise(() => undefined);
    return create(bytes, options);
  });
  return () => begun;
}

/** What the statistics of a model say that has lost shared workers while it loaded. */
const ALONE = {
  isShared: false,
  reason: "shared workers have ended or fallen silent while the model loaded",
  tabs: 1,
};

/** Collects the states that models enter. */
function statesOf(models: readonly BatchedModel[]): readonly string[] {
  const states: string[] = [];
  for (const model of models) model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
  return states;
}

/** Returns what a model answers to 3: 6 if it doubles, 9 if it squares. */
async function answerOf(model: BatchedModel): Promise<unknown> {
  const { y } = await model.predict({ x: Float32Array.of(3) });
  return y?.data[0];
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "none",
    ({ code }) => code,
  );

const answerOrCode = (model: Promise<BatchedModel>) => model.then(answerOf).catch(({ code }) => code);

/** A body that arrives when the test sends it. */
function slowBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return { readable, send: (bytes: ArrayBuffer) => writer.write(new Uint8Array(bytes)), end: () => writer.close() };
}

/** Lets messages between pages and workers arrive. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("a model in several tabs", () => {
  it("is loaded once", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const models = [await tabs.open(), await tabs.open()];
    expect(await Promise.all(models.map(answerOf))).toEqual([6, 6]);
    expect(models.map((model) => model.stats().shared.tabs)).toEqual([2, 2]);
    expect([tabs.requests, tabs.started.length]).toEqual([1, 1]);
    await Promise.all(models.map((model) => model.dispose()));
  });

  it("has a worker of its own where the browser refuses Web Locks, as with all cookies blocked", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const refuse = () => Promise.reject(new DOMException("denied in this context", "SecurityError"));
    Object.assign(navigator, { locks: { request: refuse, query: refuse } });
    const model = await tabs.open();
    expect(await answerOf(model)).toBe(6);
    expect(model.stats().shared).toMatchObject({ isShared: false, reason: expect.stringContaining("Web Locks") });
    await model.dispose();
  });

  // defect E4
  it("is the new version in a new tab that joins while an old tab fails to get the old one again", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const old = await tabs.open();
    expect(await answerOf(old)).toBe(6);
    const { readable, send, end } = slowBody();
    tabs.serve = () => readable;
    tabs.crash();
    await until(() => tabs.requests === 2);
    const opening = tabs.open();
    await until(() => tabs.connections === 3);
    await turns(100);
    tabs.serve = squaringModel;
    void send(squaringModel());
    void end();
    const fresh = await opening;
    expect(await answerOf(fresh)).toBe(9);
    expect(await codeOf(answerOf(old))).toBe("MODEL_INTEGRITY");
    await Promise.all([old.dispose(), fresh.dispose()]);
  });

  it("is the new version in a new tab that joins a session of the old one whose worker ends before it is ready", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const opened: Promise<BatchedModel>[] = [];
    beforeFirstSession(async () => {
      tabs.serve = squaringModel;
      opened.push(tabs.open());
      await until(() => tabs.connections === 2);
      await turns(100);
      tabs.crash();
      await new Promise(() => undefined);
    });
    const old = await tabs.open();
    const [fresh] = await Promise.all(opened);
    expect(await Promise.all([old, fresh!].map(answerOf))).toEqual([9, 9]);
    expect([tabs.requests, tabs.started.length]).toEqual([2, 2]);
    await Promise.all([old.dispose(), fresh!.dispose()]);
  });

  // defect E5
  it("is never another version than the tab began with, whoever loads it first", async () => {
    const wrong: unknown[] = [];
    for (let lead = -12; lead <= 12; lead += 1) {
      const tabs = new TabsInNode();
      tabs.serve = doublingModel;
      const old = await tabs.open();
      tabs.serve = squaringModel;
      const again = turns(Math.max(0, lead)).then(() => old.restart());
      const opening = turns(Math.max(0, -lead)).then(() => tabs.open());
      const found = await Promise.all([answerOrCode(again.then(() => old)), answerOrCode(opening)]);
      // Either the new tab has joined the old version, or the old one is gone.
      if (!["6 6", "MODEL_INTEGRITY 9"].includes(found.join(" "))) wrong.push([lead, ...found]);
      await old.dispose();
      await opening.then(
        (model) => model.dispose(),
        () => undefined,
      );
    }
    expect(wrong).toEqual([]);
  });

  // defect E6
  it("has a session for each address of the worker's script", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const first = await tabs.open({}, "?build=1");
    const second = await tabs.open({}, "?build=2");
    expect(await Promise.all([first, second].map(answerOf))).toEqual([6, 6]);
    expect(new Set(tabs.started).size).toBe(2);
    await Promise.all([first.dispose(), second.dispose()]);
  });

  it("is shared again when the device of a shared worker is back", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const adapter = { info: { description: "GPU of a test" } };
    // The page has the GPU; the shared worker does not have it at once.
    const found = [adapter, null];
    const requestAdapter = async () => (found.length > 0 ? found.shift() : adapter);
    Object.assign(navigator, { gpu: { requestAdapter } });
    const model = await tabs.open({ executionProviders: ["webgpu"] });
    expect(model.stats().shared).toMatchObject({ isShared: false, reason: expect.stringContaining("no webgpu") });
    await model.restart();
    expect(model.stats().shared).toEqual({ isShared: true, reason: null, tabs: 1 });
    await model.dispose();
  });

  it("stays shared if its worker ends between the download and the start of the model", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    let isHeld = true;
    beforeFirstSession(() => new Promise(() => (isHeld = false)));
    const opening = tabs.open();
    await until(() => !isHeld);
    tabs.crash();
    const model = await opening;
    expect(await answerOf(model)).toBe(6);
    expect(model.stats().shared).toEqual({ isShared: true, reason: null, tabs: 1 });
    await model.dispose();
  });

  it("has a worker of its own after three shared ones have ended while it loaded, and is shared after a restart", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const begun = holdFirstSessions(3);
    const opening = tabs.open();
    for (const lost of [1, 2, 3]) {
      await until(() => begun() === lost);
      tabs.crash();
    }
    const model = await opening;
    expect([await answerOf(model), model.stats().shared]).toEqual([6, ALONE]);
    await model.restart();
    expect(model.stats().shared).toEqual({ isShared: true, reason: null, tabs: 1 });
    await model.dispose();
  });

  it("is the newest version in the worker that tries the next provider: no tab has had the one before", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const requestAdapter = async () => ({ info: { description: "GPU of a test" } });
    Object.assign(navigator, { gpu: { requestAdapter } });
    beforeFirstSession(async () => {
      tabs.serve = squaringModel;
      throw new Error("no kernel for this model");
    });
    const model = await tabs.open({ executionProviders: ["webgpu", "wasm"] });
    expect([await answerOf(model), tabs.requests]).toEqual([9, 2]);
    await model.dispose();
  });
});

describe("time limits of a shared worker", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    return () => vi.useRealTimers();
  });

  /** Lets time pass, a step after the other, until a promise settles. */
  async function passing<T>(stepMs: number, promise: Promise<T>): Promise<T> {
    const settled = Promise.allSettled([promise]).then(() => true);
    const step = async () => {
      vi.advanceTimersByTime(stepMs);
      await turns(10);
      return false;
    };
    while (!(await Promise.race([settled, step()])));
    return promise;
  }

  const pass = (ms: number) => passing(1000, new Promise((resolve) => setTimeout(resolve, ms)));

  // defect E7
  it("count as those of a worker of one's own if it never answers", async () => {
    const tabs = new TabsInNode(() => () => undefined);
    const silent = channelSite(() => null);
    expect(await passing(1000, codeOf(tabs.open({}, "", silent)))).toBe("WORKER_LOAD_FAILED");
  });

  it("count for one worker that hangs, not for each that follows it", async () => {
    const tabs: TabsInNode = new TabsInNode((name) => {
      const forEver = () => new Promise(() => undefined);
      tabs.locks.request(`${name} alive`, forEver).catch(() => undefined);
      return () => undefined;
    });
    tabs.serve = doublingModel;
    const opening = tabs.open();
    await passing(
      1000,
      until(() => tabs.requests === 1),
    );
    // The worker that asks for the model is the tab's own, and follows the first one that is silent.
    expect(tabs.started).toHaveLength(1);
    const model = await passing(1, opening);
    expect(model.stats().shared).toEqual(ALONE);
    expect(await passing(10, answerOf(model))).toBe(6);
    await model.dispose();
  });

  // defect E8
  it("do not count while the download of another tab makes progress", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const old = [await tabs.open(), await tabs.open()];
    const { readable, send, end } = slowBody();
    tabs.serve = () => readable;
    tabs.crash();
    // The end of a worker counts once its last answers have had time to arrive.
    await passing(
      10,
      until(() => tabs.requests === 2),
    );
    const again = old[1]!.restart();
    const opening = tabs.open();
    for (let start = 0; start < doublingModel().byteLength; start += 5) {
      void send(doublingModel().slice(start, start + 5));
      await pass(10_000);
    }
    void end();
    await again;
    const models = [...old, await opening];
    expect(await Promise.all(models.map(answerOf))).toEqual([6, 6, 6]);
    expect([tabs.requests, tabs.started.length]).toEqual([2, 2]);
    await Promise.all(models.map((model) => model.dispose()));
  });

  // defect E3
  it("are those of the tab whose run the worker executes", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    let beginLarge: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (beginLarge = resolve));
    const slowForLarge: RunFault = async ({ x }, run) => {
      const isLarge = x !== undefined && "size" in x && x.size > 1;
      if (isLarge) beginLarge();
      await new Promise((resolve) => setTimeout(resolve, isLarge ? 30_000 : 10));
      return run();
    };
    replaceRuns(slowForLarge);
    const [first, second] = [await tabs.open(), await tabs.open()];
    const states = statesOf([first, second]);
    for (let round = 0; round < 5; round += 1) expect(await passing(10, answerOf(first))).toBe(6);
    const large = second.predict({ x: new Float32Array(1000).fill(3) });
    await passing(1000, begun);
    const small = answerOf(first);
    const { y } = await passing(1000, large);
    expect([y?.data[999], await passing(10, small), states]).toEqual([6, 6, []]);
    await Promise.all([first.dispose(), second.dispose()]);
  });

  it("hold for each run that a tab waits for, not for all of them", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    replaceRuns((_feeds, run) => new Promise((resolve) => setTimeout(resolve, 900)).then(run));
    // Batches of a size that is allowed never merge.
    const open = () => tabs.open({ runTimeoutMs: 1000, allowedBatchSizes: [1] });
    const models = [await open(), await open(), await open(), await open(), await open()];
    const states = statesOf(models);
    expect(await passing(100, Promise.all(models.map(answerOf)))).toEqual([6, 6, 6, 6, 6]);
    expect(states).toEqual([]);
    await Promise.all(models.map((model) => model.dispose()));
  });

  it("are not tried again by runs with rows of several tabs, once one of them has ended the worker", async () => {
    const tabs = new TabsInNode();
    tabs.serve = doublingModel;
    const noMemoryForTwo: RunFault = async ({ x }, run) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (x !== undefined && "dims" in x && x.dims[0]! > 1) throw new WebAssembly.RuntimeError("Out of memory");
      return run();
    };
    replaceRuns(noMemoryForTwo);
    const models = [await tabs.open(), await tabs.open(), await tabs.open()];
    const states = statesOf(models);
    const round = async () => expect(await passing(1, Promise.all(models.map(answerOf)))).toEqual([6, 6, 6]);
    while (states.length === 0) await round();
    for (let rounds = 0; rounds < 10; rounds += 1) await round();
    expect(states.filter((state) => state === "recovering")).toHaveLength(models.length);
    await Promise.all(models.map((model) => model.dispose()));
  });
});
