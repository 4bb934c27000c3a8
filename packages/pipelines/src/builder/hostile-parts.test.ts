import { describe, expect, it } from "vitest";
import { settled } from "../../test/support/held-stage.js";
import { outcomeOf, pipelineOn } from "../../test/support/pipelines.js";

const broken = new RangeError("broken");

const throwing = (): never => {
  throw broken;
};

/** An object with one property. */
function having(name: string, property: PropertyDescriptor): object {
  return Object.defineProperty({}, name, property);
}

/** An object whose property of this name cannot be read. */
function unreadable(name: string): object {
  return having(name, { get: throwing });
}

type Settle = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;

/** A promise of another library, which does what it likes. */
function oddPromise(settle: Settle): object {
  return having("then", { value: settle });
}

/** A pipeline that passes the parts of its item through a stage. The item tells its own parts. */
function dividing() {
  return pipelineOn<() => unknown>()
    .split<number>((parts) => Object.assign(Object(parts())))
    .stage(async (part) => part)
    .collect((parts) => parts.length);
}

/** What a promise settled with by the end of the task, or "pending". */
async function byNow(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([outcomeOf(promise), settled().then(() => "pending")]);
}

/** A source with this iterator. */
function iterated(next: () => unknown) {
  return () => ({ [Symbol.iterator]: () => ({ next }) });
}

describe("a source of parts that breaks the protocol of iterators", () => {
  // defect C16
  it.each<[what: string, parts: () => unknown]>([
    ["no result", iterated(() => undefined)],
    ["a promise of no result", iterated(async () => undefined)],
    ["a result whose value throws", iterated(() => unreadable("value"))],
    ["a result whose done throws", iterated(() => unreadable("done"))],
    ["a promise of a result whose value throws", iterated(async () => unreadable("value"))],
    ["a result that is a broken promise", iterated(() => unreadable("then"))],
    ["no iterator", () => ({ [Symbol.iterator]: () => undefined })],
    ["nothing, as its iterator throws", () => ({ [Symbol.iterator]: throwing })],
    ["a broken promise of itself", () => unreadable("then")],
    ["a promise that throws", () => oddPromise(throwing)],
  ])("fails its run, once: it gives %s", async (_what, parts) => {
    const pipeline = dividing();
    expect(await byNow(pipeline.run(parts))).toMatchObject({ code: "STAGE_FAILED", details: { stage: 0 } });
    expect(pipeline.stats()).toMatchObject({ runs: { failed: 1, inFlight: 0 }, stages: [{ failed: 1 }, {}, {}] });
  });

  // defect C16
  it("settles its run once, though its promises settle twice", async () => {
    const twice = (value: unknown) =>
      oddPromise((resolve, reject) => {
        resolve(value);
        resolve(value);
        reject(broken);
      });
    const results = [{ value: 1 }, { value: 2 }, { done: true }];
    const pipeline = dividing();
    expect(
      await byNow(pipeline.run(() => twice({ [Symbol.iterator]: () => ({ next: () => twice(results.shift()) }) }))),
    ).toBe(2);
    expect(pipeline.stats().stages[1]).toMatchObject({ accepted: 2, completed: 2 });
  });

  // defect C16
  it.each<[what: string, collect: () => unknown]>([
    ["throws", throwing],
    ["returns a broken promise", () => unreadable("then")],
  ])("is not the only way to fail a run: so does a collect that %s", async (_what, collect) => {
    const pipeline = pipelineOn<string>()
      .split((word) => [word])
      .collect(collect);
    expect(await byNow(pipeline.run("a"))).toMatchObject({
      code: "STAGE_FAILED",
      details: { stage: 1 },
      cause: broken,
    });
  });
});

describe("a thrown object without a text", () => {
  // defect C3
  it.each(["stage", "split", "source", "collect"])("fails the run and the stream, thrown by a %s", async (where) => {
    const textless: unknown = Object.create(null);
    const maybe = (here: string) => {
      if (here === where) throw textless;
    };
    const pipeline = pipelineOn<string>()
      .split(function* (word) {
        maybe("source");
        yield word;
      })
      .stage((part) => (maybe("stage"), part))
      .collect((parts) => (maybe("collect"), parts.length))
      .split((count) => (maybe("split"), [count]))
      .collect((counts) => counts.length);
    for (const outcome of [await byNow(pipeline.run("a")), await byNow(pipeline.runStream(["a"]).next())]) {
      expect(outcome).toMatchObject({ code: "STAGE_FAILED" });
      expect(outcome).toHaveProperty("cause", textless);
    }
    expect(pipeline.stats().runs).toMatchObject({ failed: 2, inFlight: 0 });
  });
});

describe("a split that ends its own run", () => {
  /** Parts that end the run before the first one, and what becomes of them. */
  function ending(end: () => void) {
    const state = { isClosed: false, pulled: 0 };
    function* parts() {
      try {
        end();
        for (;;) yield state.pulled++;
      } finally {
        state.isClosed = true;
      }
    }
    async function* later() {
      yield* parts();
    }
    return { state, parts, later };
  }

  // defect C20
  it.each(["parts", "later"] as const)("has its generator closed (%s)", async (kind) => {
    const asked: number[] = [];
    const { state, ...sources } = ending(() => void pipeline.dispose());
    const pipeline = pipelineOn<string>()
      .split<number>(() => sources[kind]())
      .stage((part) => asked.push(part))
      .collect((parts) => parts.length);
    expect(await byNow(pipeline.run("a"))).toMatchObject({ code: "DISPOSED" });
    await settled();
    expect([state.isClosed, asked]).toEqual([true, []]);
  });

  // defect C20
  it("has the source closed that it returns then", async () => {
    const log: string[] = [];
    const iterator = { next: () => log.push("next"), return: () => log.push("return") };
    const pipeline = pipelineOn<string>()
      .split<string>(() => {
        void pipeline.dispose();
        return Object.assign({ [Symbol.iterator]: () => Object.assign(Object(iterator)) });
      })
      .collect((parts) => parts.length);
    expect(await byNow(pipeline.run("a"))).toMatchObject({ code: "DISPOSED" });
    expect(log).toEqual(["return"]);
  });

  it("has a stream of the browser unlocked and cancelled that it gets after the abort", async () => {
    let isCancelled = false;
    const stream = new ReadableStream<string>({ cancel: () => void (isCancelled = true) });
    let give: (stream: ReadableStream<string>) => void = () => undefined;
    const later = new Promise<ReadableStream<string>>((resolve) => (give = resolve));
    const controller = new AbortController();
    const run = pipelineOn<string>()
      .split(() => later)
      .collect((parts) => parts.length)
      .run("a", { signal: controller.signal });
    controller.abort("enough");
    expect(await byNow(run)).toBe("enough");
    give(stream);
    await settled();
    expect([stream.locked, isCancelled]).toEqual([false, true]);
  });

  // defect C14
  it.each<[what: string, end: () => unknown]>([
    ["throws", throwing],
    ["rejects", () => Promise.reject(broken)],
    ["never settles", () => new Promise(() => {})],
  ])("rejects with the reason, though return() of the source %s", async (_what, end) => {
    const log: string[] = [];
    const iterator = {
      next: () => ({ value: log.push("next") }),
      return: () => (log.push("return"), end()),
    };
    const pipeline = pipelineOn<string>()
      .split<number>(() => Object.assign({ [Symbol.iterator]: () => Object.assign(Object(iterator)) }))
      .stage((part): number => {
        if (part === 2) throw broken;
        return part;
      })
      .collect((parts) => parts.length);
    const [first] = [pipeline.runStream(["a"]).next()];
    expect(await byNow(first)).toMatchObject({ code: "STAGE_FAILED", cause: broken });
    expect(log.filter((call) => call === "return")).toEqual(["return"]);
  });
});

describe("statistics of a stage that end the run", () => {
  it("leave no slot taken", async () => {
    let controller = new AbortController();
    const stage = Object.assign(async (item: number) => item, {
      stats() {
        controller.abort("enough");
        return {};
      },
    });
    const pipeline = pipelineOn<number>()
      .stage(async (item) => item)
      .stage(stage);
    const take = async (items: number, signal?: AbortSignal) => {
      const taken: number[] = [];
      for await (const item of pipeline.runStream(Array(items).fill(1), signal && { signal })) taken.push(item);
      return taken.length;
    };
    // The stage has 8 slots, and tells its statistics to every 64th part.
    for (let slot = 0; slot < 9; slot++) {
      controller = new AbortController();
      expect(await byNow(take(1, controller.signal))).toBe("enough");
      expect(await byNow(take(63))).toBe(63);
    }
  });
});
