import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createBatchedFunction } from "@framebatch/batcher/functions/batched-function.js";
import type { BatchedOptions } from "@framebatch/batcher/options/options.js";
import { modelOf } from "../../../test/support/entries.js";
import { Scene, taskSignal } from "@framebatch/batcher/test/scene.js";
import { settled } from "@framebatch/pipelines/test/held-stage.js";
import { outcomeOf, pipelineOn } from "@framebatch/pipelines/test/pipelines.js";

/** A batched function whose batches never end, and that calls back as soon as it gets one. */
function endless(onBatch: () => void, options: BatchedOptions<string> = { batching: false }) {
  const runBatch = () => {
    onBatch();
    return new Promise<never>(() => {});
  };
  return createBatchedFunction<string, string>(runBatch, options, new Scene().time);
}

/** What a promise settled with by the end of the task, or "pending". */
async function byNow(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([outcomeOf(promise), settled().then(() => "pending")]);
}

describe("a signal that aborts inside the call that makes the request", () => {
  // defect C7
  it("rejects the request, if the batch that it fills aborts", async () => {
    const controller = new AbortController();
    const call = endless(() => controller.abort("enough"));
    expect(await byNow(call("a", { signal: controller.signal }))).toBe("enough");
    expect(call.stats().requests).toMatchObject({ aborted: 1, inFlight: 0 });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  // defect C7
  it.each(["shapeOf", "contentKey"] as const)("rejects the request, if %s aborts", async (name) => {
    const controller = new AbortController();
    const shapeOf = () => (controller.abort("enough"), { group: "", extents: [] });
    const contentKey = () => (controller.abort("enough"), "key");
    const option = name === "shapeOf" ? { shapeOf } : { contentKey, dedupe: true };
    const call = endless(() => undefined, option);
    expect(await byNow(call("a", { signal: controller.signal }))).toBe("enough");
    expect(call.stats().requests).toMatchObject({ aborted: 1, queued: 0, inFlight: 0 });
  });

  // defect C7
  it("rejects a list, and takes back the item that was being queued", async () => {
    const controller = new AbortController();
    const call = endless(() => controller.abort("enough"));
    expect(await byNow(call.many(["a", "b"], { signal: controller.signal }))).toBe("enough");
    expect(call.stats().requests).toMatchObject({ offered: 1, aborted: 1, inFlight: 0 });
  });

  // defect C7
  it("keeps an item of a list out of the queue, if reading the item aborts", async () => {
    const { batcher, model } = modelOf(new Scene());
    const controller = new AbortController();
    const item = {
      get x() {
        controller.abort("enough");
        return [1];
      },
    };
    expect(await byNow(model.predictMany([item], { signal: controller.signal }))).toBe("enough");
    expect(batcher.stats().requests).toMatchObject({ offered: 0, queued: 0, inFlight: 0 });
  });

  // defect C7
  it.each(["stage", "split"] as const)("rejects the run of a pipeline, if its first %s aborts", async (kind) => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const abort = () => controller.abort("enough");
    const wait = (_item: string, { signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal);
      if (kind === "stage") abort();
      return new Promise<string>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("late"))),
      );
    };
    const start = pipelineOn<string>();
    const pipeline =
      kind === "stage"
        ? start.stage(wait)
        : start
            .split((item) => (abort(), [item]))
            .stage(wait)
            .collect((parts) => parts.join(""));
    expect(await byNow(pipeline.run("a", { signal: controller.signal }))).toBe("enough");
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([[true, "enough"]]);
    expect(pipeline.stats().runs).toMatchObject({ accepted: 1, aborted: 1, inFlight: 0 });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  // defect C7
  it.each(["split", "collect"] as const)(
    "rejects the run of a pipeline without stages, if its %s aborts",
    async (kind) => {
      const controller = new AbortController();
      const abort = (where: string) => {
        if (where === kind) controller.abort("enough");
      };
      const pipeline = pipelineOn<string>()
        .split((item) => (abort("split"), [item]))
        .collect((parts) => (abort("collect"), parts.length));
      expect(await byNow(pipeline.run("a", { signal: controller.signal }))).toBe("enough");
      expect(pipeline.stats().runs).toMatchObject({ aborted: 1, completed: 0, inFlight: 0 });
    },
  );

  // defect C7
  it("ends a stream, if its silent source aborts it", async () => {
    const controller = new AbortController();
    const source: AsyncIterable<number[]> = {
      [Symbol.asyncIterator]: () => ({
        next: () => (controller.abort("enough"), new Promise<never>(() => {})),
      }),
    };
    const { model } = modelOf(new Scene());
    expect(await byNow(model.predictStream(source, { signal: controller.signal }).next())).toBe("enough");
  });
});

describe("a priority that changes inside the call that makes the request", () => {
  // defect C7
  it("counts for the request", async () => {
    const { signal, set } = taskSignal();
    const batches: (readonly string[])[] = [];
    const scene = new Scene();
    const shapeOf = (item: string) => {
      if (item === "b") set("user-blocking");
      return { group: item, extents: [] };
    };
    const runBatch = (items: readonly string[]) => {
      batches.push(items);
      return [...items];
    };
    const call = createBatchedFunction(runBatch, { shapeOf, batching: { release: "idle" } }, scene.time);
    const all = [call("a"), call("b", { signal })];
    await scene.step();
    await Promise.all(all);
    expect(batches).toEqual([["b"], ["a"]]);
  });
});

describe("a run that ends inside the call of a stage", () => {
  // defect C13
  it("aborts the signal of the part that is being passed to the stage", async () => {
    const signals: AbortSignal[] = [];
    const pipeline = pipelineOn<string>().stage((_item, { signal }) => {
      signals.push(signal);
      void pipeline.dispose();
      return new Promise<string>(() => {});
    });
    const error = await outcomeOf(pipeline.run("a"));
    expect(error).toMatchObject({ code: "DISPOSED" });
    expect(signals.map(({ reason }) => reason)).toEqual([error]);
    expect(pipeline.stats().stages).toMatchObject([{ aborted: 1, inFlight: 0 }]);
  });

  // defect C13
  it("ends the run of a pipeline that is the stage, which calls no further stage", async () => {
    const calls: string[] = [];
    const inner = pipelineOn<string>()
      .stage((item) => {
        calls.push("first");
        void outer.dispose();
        return item;
      })
      .stage((item) => {
        calls.push("second");
        return item;
      });
    const outer = pipelineOn<string>().stage(inner);
    expect(await outcomeOf(outer.run("a"))).toMatchObject({ code: "DISPOSED" });
    await settled();
    expect(calls).toEqual(["first"]);
    expect(inner.stats().runs).toMatchObject({ accepted: 1, aborted: 1, inFlight: 0 });
  });
});
