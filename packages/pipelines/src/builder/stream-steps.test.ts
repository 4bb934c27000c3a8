import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { heldStage, settled } from "../../test/support/held-stage.js";
import { pipelineOn, read } from "../../test/support/pipelines.js";

const full = new FramebatchError("OVERLOADED", "full", { details: { queued: 1, maxQueueSize: 1 } });

/** A model whose calls wait until the test ends them. */
function heldModel() {
  const held = heldStage<number, number>();
  const predict = held.stage;
  return { ...held, model: { predict, sequence: () => ({ predict, dispose: () => Promise.resolve() }) } };
}

describe("the steps of a stream with a sequence", () => {
  it("keep their order when the model has no room for one of them at first", async () => {
    const { calls, items, model } = heldModel();
    const clock = new ManualClock();
    const { results, end } = read(pipelineOn<number>(clock).stage(model, { sequence: true }).runStream([1, 2, 3]));
    await settled();
    calls[0]?.reject(full);
    await settled();
    expect(items()).toEqual([1]);
    clock.advanceTo(50);
    for (const item of [1, 2, 3]) {
      calls[item]?.resolve(10 * item);
      await settled();
    }
    expect(items()).toEqual([1, 1, 2, 3]);
    expect([await end, results]).toEqual(["ended", [10, 20, 30]]);
  });

  it("do not wait for what `toResult` makes of the answer before", async () => {
    const { calls, items, model } = heldModel();
    const ends: (() => void)[] = [];
    const toResult = (result: number) => new Promise<number>((resolve) => void ends.push(() => resolve(result)));
    const { results, end } = read(pipelineOn<number>().stage(model, { sequence: true, toResult }).runStream([1, 2]));
    await settled();
    calls[0]?.resolve(10);
    await settled();
    expect(items()).toEqual([1, 2]);
    calls[1]?.resolve(20);
    await settled();
    for (const each of ends) each();
    expect([await end, results]).toEqual(["ended", [10, 20]]);
  });

  it("are not asked again, after later ones, that a pipeline as a stage has rejected as too late", async () => {
    const { calls, items, model } = heldModel();
    const late = new FramebatchError("OVERLOADED", "late", { details: { maxLatencyMs: 5 } });
    const inner = pipelineOn<number>().stage(model, { sequence: true });
    const { results, end } = read(pipelineOn<number>().stage(inner).runStream([1, 2, 3]));
    await settled();
    calls[0]?.resolve(10);
    await settled();
    calls[1]?.reject(late);
    for (const index of [2, 3]) {
      await settled();
      calls[index]?.resolve(20);
    }
    expect(await end).toMatchObject({ code: "OVERLOADED", cause: late });
    expect([items(), results]).toEqual([[1, 2, 3], [10]]);
  });

  it("do not wait for those of another stream, also when one of them fails", async () => {
    const { calls, items, model } = heldModel();
    const pipeline = pipelineOn<number>().stage(model, { sequence: true });
    const [failing, other] = [read(pipeline.runStream([1, 2])), read(pipeline.runStream([3, 4]))];
    await settled();
    expect(items()).toEqual([1, 3]);
    calls[0]?.reject(new RangeError("too dark"));
    calls[1]?.resolve(30);
    expect(await failing.end).toMatchObject({ code: "STAGE_FAILED" });
    await settled();
    calls.at(-1)?.resolve(40);
    expect([await other.end, other.results]).toEqual(["ended", [30, 40]]);
    expect(pipeline.stats().stages[0]).toMatchObject({ inFlight: 0 });
  });

  it("of which none is asked once the stream is aborted", async () => {
    const { items, model } = heldModel();
    const abort = new AbortController();
    const pipeline = pipelineOn<number>().stage(model, { sequence: true });
    const { end } = read(pipeline.runStream([1, 2, 3], { signal: abort.signal }));
    await settled();
    abort.abort("enough");
    expect(await end).toBe("enough");
    await settled();
    expect(items()).toEqual([1]);
    expect(pipeline.stats().stages[0]).toMatchObject({ inFlight: 0 });
  });
});
