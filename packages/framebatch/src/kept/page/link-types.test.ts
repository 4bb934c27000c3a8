import { describe, expect, it } from "vitest";
import type { BatchedModel, ItemOf, OutputsOf } from "../../batched.js";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";

interface Mel {
  inputs: { audio: Float32Array };
  outputs: { output: Float32Array; lengths: BigInt64Array };
}
interface Words {
  inputs: { frames: Float32Array; mask?: Uint8Array };
  outputs: { scores: Float32Array };
}

type Described<Model extends { inputs: object; outputs: object }> = BatchedModel<ItemOf<Model>, OutputsOf<Model>>;

/** Only types: nothing here runs. */
function typesOf(mel: Described<Mel>, words: Described<Words>, any: BatchedModel) {
  const listen = createPipeline<Float32Array>().stage(mel);
  const scores = async (): Promise<Float32Array> => {
    const outputs = await listen.stage(words, { inputs: { frames: "output" } }).run(new Float32Array(1));
    return outputs.scores.data;
  };
  return [
    scores,
    listen.stage(any, { inputs: { whatever: "output" } }),
    createPipeline<Float32Array>()
      .stage(any)
      .stage(words, { inputs: { frames: "whatever", mask: "other" } }),
    // @ts-expect-error -- an output that the model does not have
    listen.stage(words, { inputs: { frames: "outptu" } }),
    // @ts-expect-error -- an input that the model does not have
    listen.stage(words, { inputs: { frames: "output", frame: "output" } }),
    // @ts-expect-error -- an input that must be given
    listen.stage(words, { inputs: { mask: "output" } }),
  ];
}

describe("the types of links", () => {
  it("know the names of inputs and outputs", () => {
    expect(typesOf).toBeTypeOf("function");
  });
});
