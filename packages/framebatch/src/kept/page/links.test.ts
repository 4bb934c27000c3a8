import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { keptTensorLost } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { settled } from "@framebatch/pipelines/test/held-stage.js";
import { CountedTensor, LinkedStage, number } from "../../../test/support/linked-model.js";
import { outcomeOf, pipelineOn, read } from "@framebatch/pipelines/test/pipelines.js";

const COPY: PreparedItem = { shape: { group: "", extents: [] }, data: [], sizes: [] };

function linked(group = {}) {
  const [first, second] = [new LinkedStage(group), new LinkedStage(group)];
  const pipeline = pipelineOn<number>()
    .stage(first)
    .stage(second, { inputs: { x: "y" } });
  return { first, second, pipeline };
}

describe("a link between two models of a group", () => {
  it("passes the tensor as it is, and releases it after the answer", async () => {
    const { first, second, pipeline } = linked();
    const run = pipeline.run(7);
    expect(first.requests).toMatchObject([{ way: "keep", item: 7, outputs: ["y"] }]);
    const y = new CountedTensor();
    first.requests[0]!.keepAs({ y }, COPY);
    await settled();
    expect(second.requests).toMatchObject([{ way: "read", item: { x: y } }]);
    expect(y.releases).toBe(0);
    second.requests[0]!.answer(number(8));
    expect(await run).toEqual(number(8));
    expect(y.releases).toBe(1);
  });

  it("goes through the page between models of two groups", async () => {
    const [first, second] = [new LinkedStage({}), new LinkedStage({})];
    const pipeline = pipelineOn<number>()
      .stage(first)
      .stage(second, { inputs: { x: "y" } });
    expect(await outcomeOf(pipeline.run(7))).toMatchObject({ code: "STAGE_FAILED" });
    expect(first.requests).toEqual([]);
  });

  it("repeats the stage before through the page when the tensor is lost, and only once", async () => {
    const { first, second, pipeline } = linked();
    const run = outcomeOf(pipeline.run(7, { timeoutMs: 1000 }));
    first.requests[0]!.keepAs({ y: new CountedTensor() }, COPY);
    await settled();
    second.requests[0]!.reject(keptTensorLost("x"));
    expect(first.requests[1]).toMatchObject({ way: "repeat", item: COPY, options: {} });
    first.requests[1]!.answer(number(3));
    await settled();
    expect(second.requests[1]).toMatchObject({ way: "read", item: { x: number(3).y } });
    const again = keptTensorLost("x");
    second.requests[1]!.reject(again);
    expect(await run).toMatchObject({ code: "DEVICE_LOST", cause: again });
  });

  it("fails the run with any other error, and releases the tensor", async () => {
    const { first, second, pipeline } = linked();
    const run = outcomeOf(pipeline.run(7));
    const y = new CountedTensor();
    first.requests[0]!.keepAs({ y }, COPY);
    await settled();
    second.requests[0]!.reject(new FramebatchError("INFERENCE_FAILED", "poison"));
    expect(await run).toMatchObject({ code: "INFERENCE_FAILED" });
    expect([y.releases, first.requests.length]).toEqual([1, 1]);
  });

  it.each(["before the first answer", "in the second stage", "while the first stage repeats"])(
    "releases the tensor once if the run is aborted %s",
    async (when) => {
      const { first, second, pipeline } = linked();
      const controller = new AbortController();
      const reason = new Error("enough");
      const run = outcomeOf(pipeline.run(7, { signal: controller.signal }));
      const y = new CountedTensor();
      if (when === "before the first answer") controller.abort(reason);
      first.requests[0]!.keepAs({ y }, COPY);
      await settled();
      if (when === "while the first stage repeats") second.requests[0]!.reject(keptTensorLost("x"));
      controller.abort(reason);
      expect(await run).toBe(reason);
      expect(y.releases).toBe(1);
      if (when === "in the second stage") expect(second.requests[0]!.cancelledWith).toBe(reason);
      if (when === "while the first stage repeats") expect(first.requests[1]!.cancelledWith).toBe(reason);
      first.requests[1]?.answer(number(1));
      await settled();
      expect(second.requests.length).toBe(when === "before the first answer" ? 0 : 1);
    },
  );

  it("asks again with the same tensor when the queue of the second stage is full, in a stream", async () => {
    const { first, second, pipeline } = linked();
    const { results } = read(pipeline.runStream([1, 2]));
    await settled();
    const tensors = [new CountedTensor(), new CountedTensor()];
    for (const [index, y] of tensors.entries()) first.requests[index]!.keepAs({ y }, COPY);
    await settled();
    const full = new FramebatchError("OVERLOADED", "full", { details: { maxQueueSize: 1 } });
    second.requests[1]!.reject(full);
    second.requests[0]!.answer(number(1));
    await settled();
    expect(second.requests[2]).toMatchObject({ way: "read", item: { x: tensors[1] } });
    second.requests[2]!.answer(number(2));
    await settled();
    expect(results).toEqual([number(1), number(2)]);
    expect(tensors.map(({ releases }) => releases)).toEqual([1, 1]);
  });

  it("keeps the outputs of a stage in the middle, and repeats all stages before a lost one", async () => {
    const group = {};
    const [first, second, third] = [new LinkedStage(group), new LinkedStage(group), new LinkedStage(group)];
    const pipeline = pipelineOn<number>()
      .stage(first)
      .stage(second, { inputs: { x: "y" } })
      .stage(third, { inputs: { x: "y" } });
    const run = pipeline.run(7);
    const tensors = [new CountedTensor(), new CountedTensor()];
    first.requests[0]!.keepAs({ y: tensors[0]! }, COPY);
    await settled();
    expect(second.requests[0]).toMatchObject({ way: "keep", outputs: ["y"] });
    second.requests[0]!.keepAs({ y: tensors[1]! });
    await settled();
    third.requests[0]!.reject(keptTensorLost("x"));
    expect(first.requests[1]).toMatchObject({ way: "repeat", item: COPY });
    first.requests[1]!.answer(number(1));
    await settled();
    expect(second.requests[1]).toMatchObject({ way: "read", item: { x: number(1).y } });
    second.requests[1]!.answer(number(2));
    await settled();
    expect(third.requests[1]).toMatchObject({ way: "read", item: { x: number(2).y } });
    third.requests[1]!.answer(number(3));
    expect(await run).toEqual(number(3));
    expect(tensors.map(({ releases }) => releases)).toEqual([1, 1]);
  });

  it("reads the parts of a split, and what toItem makes of them", async () => {
    const group = {};
    const [first, second] = [new LinkedStage(group), new LinkedStage(group)];
    const pipeline = pipelineOn<readonly number[]>()
      .split((numbers) => numbers)
      .stage(first, { toItem: (value) => ({ x: value }) })
      .stage(second, { inputs: { x: "y" } })
      .collect((all) => all.length);
    const run = pipeline.run([1, 2]);
    await settled();
    expect(first.requests.map(({ item }) => item)).toEqual([{ x: 1 }, { x: 2 }]);
    const tensors = [new CountedTensor(), new CountedTensor()];
    for (const [index, y] of tensors.entries()) first.requests[index]!.keepAs({ y }, COPY);
    await settled();
    for (const request of second.requests) request.answer(number(1));
    expect(await run).toBe(2);
    expect(tensors.map(({ releases }) => releases)).toEqual([1, 1]);
  });
});
