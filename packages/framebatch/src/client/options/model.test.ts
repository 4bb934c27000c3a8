import { expectTypeOf, it } from "vitest";
import type { PipelineStage } from "@framebatch/pipelines/builder/pipeline.js";
import type { BatchedModel, Outputs } from "./model.js";

it("a model is a stage of a pipeline", () => {
  expectTypeOf<BatchedModel>().toExtend<PipelineStage<Float32Array, Outputs>>();
  expectTypeOf<BatchedModel<ImageBitmap, string>>().toExtend<PipelineStage<ImageBitmap, string>>();
});
