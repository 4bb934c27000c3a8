import { getEventListeners } from "node:events";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { batched, type BatchedDecorator } from "./batched.js";
import type { BatchedOptions } from "../options/options.js";
import { reportUncaught } from "@framebatch/host/page.js";
import { FramebatchError } from "../errors/errors.js";

/** A batched function that doubles each item, and the batches that it received. */
function doubling(options: BatchedOptions<number> = {}) {
  const batches: (readonly number[])[] = [];
  const double = batched((items: readonly number[]) => {
    batches.push(items);
    return items.map((item) => 2 * item);
  }, options);
  return { batches, double };
}

/** A list function whose runs end when the test calls `end`. */
function held() {
  const starts: { readonly items: readonly string[]; readonly end: (results: string[]) => void }[] = [];
  const run = (items: readonly string[]) => new Promise<string[]>((end) => starts.push({ items, end }));
  return { starts, run };
}

/** Resolves in a later task, after the batch of earlier requests is dispatched. */
function nextTask() {
  return new Promise<void>((resolve) => setImmediate(resolve));
}

afterEach(() => void vi.unstubAllGlobals());

describe("a batched function", () => {
  it("that fails at once leaves the page time for other tasks, even if its caller asks again and again", async () => {
    const broken = batched(() => Promise.reject(new Error("broken")));
    const over = new AbortController();
    void nextTask().then(() => over.abort());
    for (let asked = 0; asked < 10_000 && !over.signal.aborted; asked++) await broken("a").catch(() => undefined);
    expect(over.signal.aborted).toBe(true);
  });

  it("runs a burst as one batch, and returns each caller's own result", async () => {
    const { batches, double } = doubling();
    expect(await Promise.all([1, 2, 3].map((item) => double(item)))).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
    expect(double.stats().requests).toMatchObject({ completed: 3, queued: 0, inFlight: 0 });
  });

  it("accepts an iterable, and keeps its order", async () => {
    const { batches, double } = doubling({ maxBatchSize: 2 });
    expect(await double.many(new Set([5, 6, 7]))).toEqual([10, 12, 14]);
    expect(batches.flat()).toEqual([5, 6, 7]);
  });

  it("rejects with the errors of another realm, such as a frame, as they are", async () => {
    const thrown: Error = runInNewContext('new TypeError("broken")');
    const returned: Error = runInNewContext('new RangeError("too long")');
    const run = batched((items: readonly string[]) => {
      if (items.includes("throw")) throw thrown;
      return items.map((item) => (item === "long" ? returned : item));
    });
    expect(await Promise.allSettled([run("a"), run("long")])).toEqual([
      { status: "fulfilled", value: "a" },
      { status: "rejected", reason: returned },
    ]);
    const caught: unknown = await run("throw").catch((error: unknown) => error);
    expect(caught).toBe(thrown);
    expect(run.stats().requests).toMatchObject({ completed: 1, failed: 2 });
  });

  it("repeats the last item up to an allowed size, and drops the surplus results", async () => {
    const { batches, double } = doubling({ allowedBatchSizes: [4] });
    expect(await double.many([1, 2, 3])).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3, 3]]);
  });

  it("keeps items of different groups in separate batches", async () => {
    const { batches, double } = doubling({ shapeOf: (item) => ({ group: item < 0 ? "below" : "above", extents: [] }) });
    expect(await double.many([1, -1, 2])).toEqual([2, -2, 4]);
    expect(batches).toEqual([[1, 2], [-1]]);
  });

  it("defect 1: accepts empty items, one and several", async () => {
    const shapeOf = (text: string) => ({ group: "", extents: [text.length] });
    const upper = batched((items: readonly string[]) => items.map((text) => text.toUpperCase()), { shapeOf });
    expect(await upper("")).toBe("");
    expect(await upper.many(["", ""])).toEqual(["", ""]);
    expect(await upper.many(["", "a", ""])).toEqual(["", "A", ""]);
  });

  it("reports errors without a promise to the host, and rejects the promise of all other errors", async () => {
    const told: unknown[] = [];
    vi.stubGlobal("reportError", (error: unknown) => void told.push(error));
    const shapeOf = (item: number) => {
      if (item < 0) throw new RangeError("below");
      return { group: "", extents: [] };
    };
    const { double } = doubling({ shapeOf });
    await expect(double(-1)).rejects.toThrow("below");
    expect(await double(1)).toBe(2);
    expect(told).toEqual([]);
    reportUncaught(new Error("nobody's"));
    expect(told).toEqual([new Error("nobody's")]);
    vi.unstubAllGlobals();
    expect(() => reportUncaught(new Error("nobody's"))).not.toThrow();
  });

  it("fails only the item whose result is an error", async () => {
    const check = batched((items: readonly number[]) =>
      items.map((item) => (item < 0 ? new RangeError("below") : item)),
    );
    const outcomes = await Promise.allSettled([1, -1, 2].map((item) => check(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    await expect(check(-1)).rejects.toBeInstanceOf(RangeError);
  });

  it("finds the item that makes the whole batch throw", async () => {
    const check = batched((items: readonly number[]) => {
      if (items.includes(-1)) throw new RangeError("below");
      return [...items];
    });
    const outcomes = await Promise.allSettled([1, 2, -1, 3].map((item) => check(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    await expect(check.many([1, -1])).rejects.toMatchObject({ message: "item 1: below", details: { index: 1 } });
  });

  it("rejects when the result has the wrong length or is not a list", async () => {
    const short = batched((items: readonly number[]) => items.slice(1));
    await expect(short(1)).rejects.toMatchObject({ code: "INFERENCE_FAILED", details: { expected: 1, got: 0 } });
    const long = batched((items: readonly number[]) => [...items, 0]);
    const outcomes = await Promise.allSettled([long(1), long(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const count = Reflect.apply(batched, undefined, [(items: readonly number[]) => items.length]);
    await expect(count(1)).rejects.toThrow("runBatch: expected a list of results, got number");
  });

  it("does not run an item that was aborted in the queue", async () => {
    const { batches, double } = doubling();
    const controller = new AbortController();
    const [aborted, kept] = [double(1, { signal: controller.signal }), double(2)];
    controller.abort("changed my mind");
    await expect(aborted).rejects.toBe("changed my mind");
    expect(await kept).toBe(4);
    expect(batches).toEqual([[2]]);
  });

  it("drops the result of an item that was aborted during its run", async () => {
    const { starts, run } = held();
    const ask = batched(run);
    const controller = new AbortController();
    const aborted = ask("a", { signal: controller.signal });
    await nextTask();
    controller.abort("changed my mind");
    await expect(aborted).rejects.toBe("changed my mind");
    starts[0]?.end(["A"]);
    await nextTask();
    expect(ask.stats().requests).toMatchObject({ completed: 0, aborted: 1, inFlight: 0 });
  });

  it("runs only the newest of several requests with the same key", async () => {
    const { batches, double } = doubling();
    const asked = [1, 2, 3].map((item) => double(item, { key: "the wheel" }));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.code))).toEqual([
      "SUPERSEDED",
      "SUPERSEDED",
      6,
    ]);
    expect(batches).toEqual([[3]]);
  });

  it("rejects open and later requests after dispose", async () => {
    const { starts, run } = held();
    const ask = batched(run, { batching: { release: "idle" }, maxBatchSize: 1 });
    const open = [ask("a"), ask("b"), ask("c"), ask("d")];
    await nextTask();
    expect(starts.length).toBeGreaterThan(0);
    await ask.dispose();
    const outcomes = await Promise.allSettled([...open, ask("e"), ask.many(["f"])]);
    expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code)).toEqual(
      Array(6).fill("DISPOSED"),
    );
    await ask.dispose();
  });

  it("is disposed at the end of its scope", async () => {
    let kept;
    {
      await using double = doubling().double;
      kept = double;
      expect(await double(2)).toBe(4);
    }
    await expect(kept(1)).rejects.toMatchObject({ code: "DISPOSED" });
  });

  it("defect 28: allows its function to empty the list of items", async () => {
    const double = batched((items: readonly number[]) => {
      const left: number[] = Reflect.apply(Object, undefined, [items]);
      const results: number[] = [];
      while (left.length > 0) results.push(2 * (left.shift() ?? 0));
      return results;
    });
    expect(await double.many([1, 2, 3])).toEqual([2, 4, 6]);
  });

  it("defect 17: never shares a result between different items", async () => {
    const seen: unknown[] = [];
    const describeAll = batched(
      (items: readonly unknown[]) => {
        seen.push(...items);
        return items.map((item) => seen.indexOf(item));
      },
      { dedupe: true, resultCacheSize: 8 },
    );
    const items = [new Map([[1, 2]]), new Map([[3, 4]]), Number.NaN, null, new Blob(["a"]), new Blob(["b"])];
    await describeAll.many(items);
    expect(seen).toEqual(items);
    await describeAll.many([
      [1, Number.NaN],
      [1, null],
      [1, Number.NaN],
    ]);
    expect(seen.slice(items.length)).toEqual([
      [1, Number.NaN],
      [1, null],
    ]);
  });

  it("runs identical items once with dedupe, and compares them by contentKey", async () => {
    const seen: string[][] = [];
    const shout = batched(
      (items: readonly { readonly word: string }[]) => {
        seen.push(items.map(({ word }) => word));
        return items.map(({ word }) => word.toUpperCase());
      },
      { dedupe: true, contentKey: ({ word }) => word.trim() },
    );
    expect(await shout.many([{ word: "a" }, { word: "b" }, { word: "a " }])).toEqual(["A", "B", "A"]);
    expect(seen).toEqual([["a", "b"]]);
    expect(shout.stats().requests).toMatchObject({ completed: 3, deduplicated: 1 });
  });

  it("caches up to resultCacheSize results, and evicts the least recently used", async () => {
    const { batches, double } = doubling({ resultCacheSize: 2 });
    for (const item of [1, 2, 1, 3, 2]) await double(item);
    expect(batches.flat()).toEqual([1, 2, 3, 2]);
    expect(double.stats().requests.cacheHits).toBe(1);
  });

  it.each([
    [{ maxBatchSize: 0 }, /^maxBatchSize: expected a whole number from 1/],
    [{ maxBatchsize: 8 }, /^maxBatchsize: .*did you mean "maxBatchSize"\?$/],
    [{ contentKey: "id" }, /^contentKey: expected a function of an item, got string "id"/],
  ])("rejects the options %j at once", (options, message) => {
    const build = () => Reflect.apply(batched, undefined, [(items: readonly number[]) => items, options]);
    expect(build).toThrow(FramebatchError);
    expect(build).toThrow(message);
  });

  it("rejects a runBatch that is not a function", () => {
    expect(() => Reflect.apply(batched, undefined, ["run"])).toThrow(/^runBatch: expected a function of a list/);
  });

  it("rejects an invalid option of one call, and runs the other calls", async () => {
    const { double } = doubling();
    await expect(double(1, { timeoutMs: 0 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(await double(1)).toBe(2);
  });
});

type Scale = (this: { readonly factor: number }, items: readonly number[]) => Promise<readonly number[]>;

/** Creates the method `scale`, and the list of what it was called with. */
function scaling() {
  const batches: (readonly number[])[] = [];
  const scale: Scale = async function (items) {
    batches.push(items);
    return items.map((item) => this.factor * item);
  };
  return { scale, batches };
}

/** Applies a decorator to the method `scale` as a class would; the test runner cannot parse decorator syntax. */
function decorated(decorator: BatchedDecorator<number>) {
  const { scale, batches } = scaling();
  const context = {
    kind: "method",
    name: "scale",
    static: false,
    private: false,
    metadata: {},
    access: { has: () => true, get: () => scale },
    addInitializer: () => {},
  } as const;
  return { batches, method: decorator(scale, context) };
}

/** Stubs the parts of a page's document that frames need. */
function page(): EventTarget {
  const document = Object.assign(new EventTarget(), { visibilityState: "visible", timeline: { currentTime: 0 } });
  vi.stubGlobal("document", document);
  return document;
}

describe("a decorated method", () => {
  it("runs the lists of concurrent calls on one instance together, and returns each call its own results", async () => {
    const { batches, method } = decorated(batched({ maxBatchSize: 8 }));
    const instance = { factor: 10, scale: method };
    expect(await Promise.all([instance.scale([1, 2]), instance.scale([3])])).toEqual([[10, 20], [30]]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it("runs the same way in a class that is compiled with experimentalDecorators", async () => {
    const { scale, batches } = scaling();
    const descriptor: TypedPropertyDescriptor<Scale> = { value: scale };
    batched<number>({ maxBatchSize: 8 })({ factor: 1 }, "scale", descriptor);
    const instance = { factor: 10, scale: descriptor.value };
    expect(await Promise.all([instance.scale?.([1, 2]), instance.scale?.([3])])).toEqual([[10, 20], [30]]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it("keeps instances in separate batches", async () => {
    const { batches, method } = decorated(batched({}));
    const [one, other] = [10, 100].map((factor) => ({ factor, scale: method }));
    expect(await Promise.all([one?.scale([1]), other?.scale([1])])).toEqual([[10], [100]]);
    expect(batches).toEqual([[1], [1]]);
  });

  it("rejects an invalid option when the class is defined", () => {
    expect(() => batched({ maxBatchSize: 0.5 })).toThrow(/^maxBatchSize: expected a whole number/);
    expect(() => batched({ maxBatchSize: 8, allowedBatchSizes: [4] })).toThrow(/^maxBatchSize: expected 4/);
  });

  it("defect 10: removes every instance's page listeners once its calls are answered", async () => {
    const document = page();
    const { method } = decorated(
      batched({ batching: { release: "window" }, maxQueueDelayMs: 600_000, maxBatchSize: 3 }),
    );
    const instances = Array.from({ length: 10 }, (_, factor) => ({ factor, scale: method }));
    const asked = instances.map((instance) => instance.scale([1, 2]));
    await vi.waitFor(() => expect(getEventListeners(document, "visibilitychange")).toHaveLength(10), {
      timeout: 60_000,
    });
    // Fills each batch, so that it is dispatched before its window ends.
    await Promise.all([...asked, ...instances.map((instance) => instance.scale([3]))]);
    expect(getEventListeners(document, "visibilitychange")).toEqual([]);
    const double = batched((items: readonly number[]) => items.map((item) => 2 * item));
    expect(await double(1)).toBe(2);
    expect(getEventListeners(document, "visibilitychange")).toEqual([]);
  });

  it("is disposed per instance: open and later calls of that instance reject, calls of other instances run", async () => {
    const decorator = batched<number>({});
    const { batches, method } = decorated(decorator);
    const instanceOf = (factor: number) => ({ factor, scale: method });
    const [one, other, unused] = [instanceOf(10), instanceOf(100), instanceOf(1000)];
    const asked = [one.scale([1]), other.scale([1])];
    for (const instance of [one, unused]) await decorator.dispose(instance);
    asked.push(one.scale([2]), unused.scale([2]));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.code))).toEqual([
      "DISPOSED",
      [100],
      "DISPOSED",
      "DISPOSED",
    ]);
    expect(batches).toEqual([[1]]);
  });
});
