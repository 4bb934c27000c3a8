import { expect, it } from "vitest";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import { inputsOf, KeptAnswer } from "./model-kept.js";

const SIGNATURE = resolveSignature(
  [
    { name: "input_ids", type: "int64", shape: ["batch", "length"] },
    { name: "attention_mask", type: "int64", shape: ["batch", "length"] },
  ],
  [{ name: "last_hidden_state", type: "float32", shape: ["batch", "length", 2] }],
);
const STATES = { type: "float32", dims: [2, 2], data: Float32Array.of(1, 2, 3, 4) } as const;
const OTHER = { type: "float32", dims: [1], data: Float32Array.of(9) } as const;

function answer(outputs: Outputs): KeptAnswer {
  const padding = planPadding(SIGNATURE, { input_ids: { mask: "attention_mask" } });
  const reader = InputReader.for(SIGNATURE, padding);
  const ids = [7, 8];
  const inputs = inputsOf(reader.admit({ input_ids: ids }), reader.plans);
  ids[0] = 1;
  return new KeptAnswer(inputs, Promise.resolve(outputs));
}

it("finds the inputs of a decoder among the outputs and the inputs of its encoder", async () => {
  const names = ["encoder_hidden_states", "encoder_attention_mask", "encoder_input_ids", "past"];
  const given = await answer({ last_hidden_state: STATES }).givenFor(names.map((name) => ({ name })));
  expect(given).toEqual({
    encoder_hidden_states: STATES,
    encoder_attention_mask: { type: "int64", dims: [2], data: BigInt64Array.of(1n, 1n) },
    encoder_input_ids: { type: "int64", dims: [2], data: BigInt64Array.of(7n, 8n) },
  });
});

it("prefers the name that is written", async () => {
  const outputs = { last_hidden_state: STATES, encoder_hidden_states: OTHER };
  expect(await answer(outputs).givenFor([{ name: "encoder_hidden_states" }])).toEqual({ encoder_hidden_states: OTHER });
});
