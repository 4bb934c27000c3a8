import { afterEach, describe, expect, it, vi } from "vitest";
import { heldStage, settled } from "../../test/support/held-stage.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { outcomeOf, pipelineOn } from "../../test/support/pipelines.js";

afterEach(() => void vi.restoreAllMocks());

/** A pipeline of one item with two parts, with times: 10 ms in "detect", 30 and 40 ms in "read". */
async function timed() {
  const clock = new ManualClock();
  const [detect, recognise] = [heldStage<string, string>(), heldStage<string, string>()];
  const pipeline = pipelineOn<string>(clock)
    .stage(detect.stage, { name: "detect" })
    .split((word) => word.split(""), { name: "cut" })
    .stage(recognise.stage, { name: "read" })
    .collect((parts) => parts.join(""), { name: "merge" });
  const run = pipeline.run("ab");
  clock.advanceTo(10);
  detect.calls[0]?.resolve("ab");
  await settled();
  clock.advanceTo(40);
  recognise.calls[0]?.resolve("a");
  await settled();
  clock.advanceTo(50);
  recognise.calls[1]?.resolve("b");
  expect(await run).toBe("ab");
  return { clock, pipeline, recognise };
}

describe("the statistics of a pipeline", () => {
  it("count the parts of each step, and their times", async () => {
    const { pipeline } = await timed();
    const { runs, totalMs, stages } = pipeline.stats();
    expect(runs).toEqual({
      accepted: 1,
      completed: 1,
      failed: 0,
      aborted: 0,
      timedOut: 0,
      superseded: 0,
      disposed: 0,
      inFlight: 0,
    });
    expect(totalMs).toMatchObject({ count: 1, sum: 50 });
    const kinds = stages.map(({ kind, name, accepted, completed }) => [kind, name, accepted, completed]);
    expect(kinds).toEqual([
      ["stage", "detect", 1, 1],
      ["split", "cut", 1, 1],
      ["stage", "read", 2, 2],
      ["collect", "merge", 1, 1],
    ]);
    expect(stages.map((step) => step.totalMs.sum)).toEqual([10, 0, 70, 0]);
    expect(stages.map((step) => step.queueMs.count)).toEqual([1, 0, 2, 0]);
    expect(stages.map(({ parts }) => parts?.mean)).toEqual([undefined, 2, undefined, undefined]);
    expect(JSON.parse(JSON.stringify(pipeline.stats()))).toEqual(pipeline.stats());
  });

  it("of a stream have the time that a part waits for a slot", async () => {
    const clock = new ManualClock();
    const { calls, stage } = heldStage<number, number>();
    const pipeline = pipelineOn<number>(clock).stage(stage);
    const stream = pipeline.runStream(Array.from({ length: 9 }, (_, item) => item));
    const first = stream.next();
    await settled();
    clock.advanceTo(30);
    calls[0]?.resolve(0);
    await first;
    await settled();
    calls[8]?.resolve(8);
    await settled();
    expect(pipeline.stats().stages[0]?.queueMs).toMatchObject({ count: 2, sum: 30, max: 30 });
    await stream.return();
  });

  it("start again from zero, and count what is open", async () => {
    const { pipeline, recognise } = await timed();
    const run = pipeline.run("c");
    await settled();
    pipeline.resetStats();
    expect(pipeline.stats().runs).toMatchObject({ accepted: 1, completed: 0, inFlight: 1 });
    expect(pipeline.stats().stages[0]).toMatchObject({ accepted: 1, completed: 0, inFlight: 1 });
    await pipeline.dispose();
    await outcomeOf(run);
    expect(pipeline.stats().runs).toMatchObject({ accepted: 1, disposed: 1, inFlight: 0 });
    expect(pipeline.stats().stages[0]).toMatchObject({ accepted: 1, aborted: 1, inFlight: 0 });
    expect(recognise.calls).toHaveLength(2);
  });
});

describe("the marks of a pipeline", () => {
  it("are one span for each step of a run, after the run, and leave no entries", async () => {
    const measured = vi.spyOn(performance, "measure");
    // Runs of earlier test files may be marked now.
    const marked = () => measured.mock.calls.filter(([name]) => /detect|cut|read|merge/.test(name));
    const { clock } = await timed();
    expect(marked()).toEqual([]);
    clock.advanceTo(200);
    expect(marked()).toEqual([
      ["framebatch detect", { start: 0, end: 10 }],
      ["framebatch cut", { start: 10, end: 10 }],
      ["framebatch read (2 parts)", { start: 10, end: 50 }],
      ["framebatch merge", { start: 50, end: 50 }],
    ]);
    expect(performance.getEntriesByType("measure")).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
