import decoderUrl from "@framebatch/models/decoder-rotary.onnx?url";
import { createBatchedModel } from "framebatch";

// A file with the names that exporters write: input_ids, attention_mask, position_ids, past_key_values.*, present.*, logits.
const lm = await createBatchedModel(decoderUrl, { generate: true });

const done = document.querySelector<HTMLOutputElement>("#done")!;
const size = document.querySelector<HTMLOutputElement>("#size")!;

/** In place of a tokenizer: the model has 61 tokens. */
const letterOf = (token: number) => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,-;:!?'".charAt(token);

/** Goes on from a prompt. A line that is in view comes first. */
async function show(line: HTMLElement, prompt: number[]) {
  const isVisible = line.getBoundingClientRect().top < innerHeight;
  const text = lm.generate(
    { input_ids: prompt },
    { maxNewTokens: 40, stop: [0], priority: isVisible ? "user-visible" : "background" },
  );
  for await (const token of text) {
    if (!line.isConnected) break; // the line has gone: its place is free for another text
    line.append(letterOf(token));
  }
  const { reason } = await text.result; // "stop", or "length" after 40 tokens
  line.dataset.reason = reason;
}

const lines = Array.from({ length: 60 }, (_line, index) => {
  const line = document.createElement("li");
  document.querySelector("#texts")!.append(line);
  const prompt = Array.from({ length: 3 + (index % 9) }, (_token, at) => 1 + ((index * 7 + at * 11) % 60));
  return { line, prompt };
});
await Promise.all(
  lines.map(async ({ line, prompt }) => {
    await show(line, prompt);
    done.value = String(Number(done.value) + 1);
    size.value = lm.stats().generation.batchSize.toFixed(1);
  }),
);
