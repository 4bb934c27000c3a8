import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createBatchedFunction } from "@framebatch/batcher/functions/batched-function.js";
import { createPipeline } from "./create-pipeline.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { taskSignal } from "@framebatch/batcher/test/scene.js";
import { heldStage, settled } from "../../test/support/held-stage.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";
import { outcomeOf, pipelineOn } from "../../test/support/pipelines.js";

/** A page in Node has no `TaskController`; this one is what framebatch uses of it. */
class TaskControllerOfTest extends AbortController {
  readonly #priority: { value: string };

  constructor({ priority }: { priority: string }) {
    super();
    this.#priority = { value: priority };
    const current = this.#priority;
    Object.defineProperty(this.signal, "priority", { get: () => current.value });
  }

  setPriority(priority: string): void {
    this.#priority.value = priority;
    this.signal.dispatchEvent(new Event("prioritychange"));
  }
}

afterEach(() => void vi.unstubAllGlobals());

/** A pipeline of one held stage before a split, and one after it. */
function twoStages(clock = new ManualClock()) {
  const [first, second] = [heldStage<string, string>(), heldStage<string, string>()];
  const pipeline = pipelineOn<string>(clock)
    .stage(first.stage)
    .split((word) => word.split(""))
    .stage(second.stage)
    .collect((parts) => parts.join(""));
  return { clock, pipeline, first: first.calls, second: second.calls };
}

describe("a signal", () => {
  it("rejects the run with its reason, and aborts all of its parts", async () => {
    const { pipeline, first, second } = twoStages();
    const controller = new AbortController();
    const run = pipeline.run("ab", { signal: controller.signal });
    const other = pipeline.run("c");
    for (const { item, resolve } of first) resolve(item);
    await settled();
    controller.abort("changed my mind");
    expect(await outcomeOf(run)).toBe("changed my mind");
    expect(second.map(({ options }) => options.signal.aborted)).toEqual([true, true, false]);
    expect(second[0]?.options.signal.reason).toBe("changed my mind");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    for (const { item, resolve } of second) resolve(item);
    expect(await other).toBe("c");
    expect(pipeline.stats().runs).toMatchObject({ accepted: 2, completed: 1, aborted: 1, inFlight: 0 });
  });

  it("starts nothing if it is already aborted", async () => {
    const { pipeline, first } = twoStages();
    expect(await outcomeOf(pipeline.run("a", { signal: AbortSignal.abort("why") }))).toBe("why");
    expect(first).toEqual([]);
  });

  it("takes the parts out of the queues of batched functions", async () => {
    const [clock, batches] = [new ManualClock(), new Array<readonly string[]>()];
    const time = { clock, frames: new ManualFrames(), close: () => {} };
    const read = createBatchedFunction(
      (items: readonly string[]) => {
        batches.push(items);
        return [...items];
      },
      {},
      time,
    );
    const pipeline = createPipeline<string>()
      .split((word) => word.split(""))
      .stage(read)
      .collect((parts) => parts.join(""));
    const controller = new AbortController();
    const [aborted, kept] = [pipeline.run("abc", { signal: controller.signal }), pipeline.run("d")];
    controller.abort("changed my mind");
    clock.endTask();
    expect(await outcomeOf(aborted)).toBe("changed my mind");
    expect(await kept).toBe("d");
    expect(batches).toEqual([["d"]]);
    expect(read.stats().requests).toMatchObject({ aborted: 3, completed: 1 });
  });

  it("of a task passes its priority on, and its changes, to all parts", async () => {
    vi.stubGlobal("TaskController", TaskControllerOfTest);
    const { pipeline, first, second } = twoStages();
    const task = taskSignal();
    void pipeline.run("ab", { signal: task.signal });
    expect(first[0]?.options).toEqual({
      signal: expect.objectContaining({ priority: "background" }),
      priority: "background",
    });
    task.set("user-visible");
    expect(first[0]?.options.signal).toHaveProperty("priority", "user-visible");
    first[0]?.resolve("ab");
    await settled();
    task.set("user-blocking");
    expect(second.map(({ options }) => Reflect.get(options.signal, "priority"))).toEqual(
      Array(2).fill("user-blocking"),
    );
  });
});

describe("a priority", () => {
  it("reaches every stage, as an option where the browser has no TaskSignal", async () => {
    const { pipeline, first, second } = twoStages();
    void pipeline.run("ab", { priority: "background" });
    first[0]?.resolve("ab");
    await settled();
    expect([...first, ...second].map(({ options }) => options.priority)).toEqual(Array(3).fill("background"));
  });

  it("is the signal's where the browser has TaskSignal, and counts before that of the run's own signal", () => {
    vi.stubGlobal("TaskController", TaskControllerOfTest);
    const { pipeline, first } = twoStages();
    const task = taskSignal();
    void pipeline.run("ab", { priority: "user-blocking", signal: task.signal });
    task.set("user-visible");
    expect(first[0]?.options).toEqual({
      signal: expect.objectContaining({ priority: "user-blocking" }),
      priority: "user-blocking",
    });
  });
});

describe("a function that passes its options on", () => {
  /** Passes each item on to a batched function, and says which batches that ran. */
  function passingOn() {
    const clock = new ManualClock();
    const batches: string[] = [];
    const runBatch = (items: readonly string[]) => {
      batches.push(...items);
      return [...items];
    };
    // Each item runs alone, in the order of priority.
    const shapeOf = (item: string) => ({ group: item, extents: [] });
    const options = { shapeOf, batching: { release: "idle" as const } };
    const call = createBatchedFunction(runBatch, options, { clock, frames: new ManualFrames() });
    const finish = async () => {
      for (let task = 0; task < 5; task++) {
        await settled();
        clock.endTask();
      }
    };
    return { call, batches, finish };
  }

  // defect C24
  it("passes on the priority of the run, and its changes", async () => {
    vi.stubGlobal("TaskController", TaskControllerOfTest);
    const { call, batches, finish } = passingOn();
    const seen: unknown[] = [];
    const pipeline = pipelineOn<string>().stage((item, options) => {
      seen.push(options.priority);
      return call(item, { ...options });
    });
    const [raised, other] = [taskSignal(), taskSignal()];
    const runs = [
      pipeline.run("other", { signal: other.signal }),
      pipeline.run("raised", { signal: raised.signal }),
      pipeline.run("none"),
    ];
    raised.set("user-blocking");
    await finish();
    await Promise.all(runs);
    expect(seen).toEqual(["background", "background", undefined]);
    expect(batches).toEqual(["raised", "none", "other"]);
  });

  // defect C24
  it("passes on what counts when it does", async () => {
    const seen: unknown[] = [];
    const { calls, stage } = heldStage<string, string>();
    const pipeline = pipelineOn<string>().stage(stage);
    const task = taskSignal();
    void pipeline.run("a", { signal: task.signal });
    task.set("user-blocking");
    seen.push(calls[0]?.options.priority);
    expect(seen).toEqual(["user-blocking"]);
  });

  // defect C24
  it("may choose a priority of its own, which stays", async () => {
    vi.stubGlobal("TaskController", TaskControllerOfTest);
    const { call, batches, finish } = passingOn();
    const pipeline = pipelineOn<string>().stage((item, options) =>
      call(item, { ...options, priority: "user-visible" }),
    );
    const task = taskSignal();
    const runs = [pipeline.run("a", { signal: task.signal }), call("b", { priority: "user-blocking" })];
    task.set("user-blocking");
    await finish();
    await Promise.all(runs);
    expect(batches).toEqual(["b", "a"]);
  });
});

describe("a timeout", () => {
  it("is never passed on as 0 or less, though it may end while a stage is being asked", async () => {
    const clock = new ManualClock();
    const given: unknown[] = [];
    const pipeline = pipelineOn<string>(clock).stage((item, { timeoutMs }) => {
      given.push(timeoutMs);
      return item;
    });
    const now = clock.now;
    // Half of the time passes each time that the clock is read.
    clock.now = () => {
      clock.freezeUntil(now() + 50);
      return now();
    };
    const outcomes = [];
    for (let run = 0; run < 4; run++) outcomes.push(await outcomeOf(pipeline.run("a", { timeoutMs: 50 * run + 25 })));
    expect(given.filter((timeoutMs) => Number(timeoutMs) <= 0)).toEqual([]);
    expect(outcomes[0]).toMatchObject({ code: "TIMED_OUT" });
  });

  it("is for the whole path: each stage gets the time that is left", async () => {
    const { clock, pipeline, first, second } = twoStages();
    const run = pipeline.run("ab", { timeoutMs: 100 });
    expect(first[0]?.options.timeoutMs).toBe(100);
    clock.advanceTo(60);
    first[0]?.resolve("ab");
    await settled();
    expect(second.map(({ options }) => options.timeoutMs)).toEqual([40, 40]);
    clock.advanceTo(100);
    const error = await outcomeOf(run);
    expect(error).toMatchObject({ code: "TIMED_OUT", details: { timeoutMs: 100 } });
    expect(second.map(({ options }) => options.signal.reason)).toEqual([error, error]);
    expect(pipeline.stats().runs).toMatchObject({ timedOut: 1, inFlight: 0 });
  });

  it("is reported as the run's, even if a stage notices it first", async () => {
    const { clock, pipeline, first } = twoStages();
    const run = pipeline.run("ab", { timeoutMs: 100 });
    clock.freezeUntil(100);
    first[0]?.reject(new FramebatchError("TIMED_OUT", "No result within timeoutMs (40)"));
    expect(await outcomeOf(run)).toMatchObject({ message: expect.stringContaining("timeoutMs (100.0)") });
    expect(clock.pending).toBe(1);
  });

  it("of a stage's own, before that of the run, fails the run at that stage", async () => {
    const { pipeline, first } = twoStages();
    const run = pipeline.run("ab", { timeoutMs: 100 });
    first[0]?.reject(new FramebatchError("TIMED_OUT", "the server is slow"));
    expect(await outcomeOf(run)).toMatchObject({ code: "TIMED_OUT", details: { stage: 0 } });
  });

  it("starts no stage after it, even if its timer is late", async () => {
    const { clock, pipeline, first, second } = twoStages();
    const run = pipeline.run("ab", { timeoutMs: 100 });
    clock.freezeUntil(150);
    first[0]?.resolve("ab");
    expect(await outcomeOf(run)).toMatchObject({ code: "TIMED_OUT" });
    expect(second).toEqual([]);
  });

  it("leaves no timer after the run", async () => {
    const { clock, pipeline, first, second } = twoStages();
    const run = pipeline.run("a", { timeoutMs: 100 });
    first[0]?.resolve("a");
    await settled();
    second[0]?.resolve("a");
    expect(await run).toBe("a");
    clock.advanceTo(99);
    expect(clock.pending).toBe(1);
    clock.advanceTo(200);
    expect(clock.pending).toBe(0);
  });
});

describe("a key", () => {
  it("supersedes an older run wherever it is on its path", async () => {
    const { pipeline, first, second } = twoStages();
    const older = pipeline.run("ab", { key: "page" });
    first[0]?.resolve("ab");
    await settled();
    const newer = pipeline.run("c", { key: "page" });
    expect(await outcomeOf(older)).toMatchObject({ code: "SUPERSEDED", details: { key: "page" } });
    expect(second.map(({ options }) => options.signal.aborted)).toEqual([true, true]);
    first[1]?.resolve("c");
    await settled();
    second[2]?.resolve("c");
    expect(await newer).toBe("c");
    expect(pipeline.stats().runs).toMatchObject({ accepted: 2, superseded: 1, completed: 1 });
  });

  it("of a settled run supersedes nothing, and different keys do not affect each other", async () => {
    const pipeline = createPipeline<number>().stage((item) => item + 1);
    expect(await pipeline.run(1, { key: "a" })).toBe(2);
    expect(await Promise.all([pipeline.run(2, { key: "a" }), pipeline.run(3, { key: "b" })])).toEqual([3, 4]);
  });

  it("is not passed to the stages, whose parts would supersede each other", () => {
    const { pipeline, first } = twoStages();
    void outcomeOf(pipeline.run("ab", { key: "page" }));
    expect(first[0]?.options).not.toHaveProperty("key");
  });
});

describe("dispose", () => {
  it("rejects open and later runs, and leaves the stages alone", async () => {
    let disposed = 0;
    const { calls, stage } = heldStage<string, string>();
    const model = { predict: stage, dispose: () => void (disposed += 1) };
    const pipeline = pipelineOn<string>().stage(model);
    const open = pipeline.run("a");
    await pipeline.dispose();
    await pipeline.dispose();
    expect(await outcomeOf(open)).toMatchObject({ code: "DISPOSED" });
    expect(await outcomeOf(pipeline.run("b"))).toMatchObject({ code: "DISPOSED" });
    expect(calls.map(({ options }) => options.signal.aborted)).toEqual([true]);
    expect(disposed).toBe(0);
    expect(pipeline.stats().runs).toMatchObject({ accepted: 1, disposed: 1, inFlight: 0 });
  });

  it("happens at the end of the scope", async () => {
    let kept;
    {
      await using pipeline = createPipeline<number>().stage((item) => item + 1);
      kept = pipeline;
      expect(await pipeline.run(1)).toBe(2);
    }
    await expect(kept.run(1)).rejects.toMatchObject({ code: "DISPOSED" });
  });
});

describe("an abort listener of a stage", () => {
  it("may start and end runs of the same pipeline", async () => {
    const calls: string[] = [];
    const pipeline = pipelineOn<string>().stage((item, { signal }) => {
      calls.push(item);
      signal.addEventListener("abort", () => void pipeline.dispose());
      return new Promise<string>(() => {});
    });
    const outcomes = [pipeline.run("a", { key: "k" }), pipeline.run("b", { key: "k" })].map(outcomeOf);
    expect(await Promise.all(outcomes)).toMatchObject([{ code: "SUPERSEDED" }, { code: "DISPOSED" }]);
    expect(calls).toEqual(["a"]);
  });
});
