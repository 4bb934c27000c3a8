import type * as ort from "onnxruntime-web/wasm";
import { expect, it } from "vitest";
import { makeSentences, promptOf, STOP, wordOf } from "@framebatch/models/translator";
import { float32, int64, load, tensorOf, valuesOf } from "./run-model.js";

const LAYERS = [0, 1];
const CACHE = ["key", "value"];

it("the sentences of a seed are the same each time, and made of words that the model knows", () => {
  const sentences = makeSentences(200, 3);
  expect(makeSentences(200, 3)).toEqual(sentences);
  for (const sentence of sentences) {
    const words = promptOf(sentence).map(wordOf);
    expect(`${words.slice(0, -1).join(" ")}${words.at(-1)}`).toBe(sentence.toLowerCase());
  }
});

it("the translator says sentences in Dutch, word by word, and then the full stop", async () => {
  const session = await load("translator");
  for (const [english, dutch] of [
    ["The cat sees the dog near the river.", "de kat ziet de hond bij de rivier ."],
    [
      "A new key finds the small king and the king washes a white coat.",
      "een nieuwe sleutel vindt de kleine koning en de koning wast een witte jas .",
    ],
  ] as const) {
    expect((await translate(session, promptOf(english))).map(wordOf).join(" ")).toBe(dutch);
  }
  await session.release();
});

/** Generates by hand: the whole text so far in each run. */
async function translate(session: ort.InferenceSession, prompt: readonly number[]): Promise<number[]> {
  const tokens: number[] = [];
  while (tokens.at(-1) !== STOP && tokens.length < prompt.length) {
    const text = [...prompt, ...tokens];
    const logits = valuesOf(tensorOf(await session.run(feedsOf(text)), "logits"));
    const last = logits.slice(-logits.length / text.length);
    tokens.push(last.indexOf(Math.max(...last)));
  }
  return tokens;
}

function feedsOf(text: readonly number[]): Record<string, ort.Tensor> {
  const dims = [1, text.length];
  const caches = LAYERS.flatMap((layer) => CACHE.map((kind) => `past_key_values.${layer}.${kind}`));
  return {
    input_ids: int64(text, dims),
    attention_mask: int64(
      text.map(() => 1),
      dims,
    ),
    position_ids: int64(text.keys(), dims),
    ...Object.fromEntries(caches.map((name) => [name, float32([], [1, 1, 0, 64])])),
  };
}
