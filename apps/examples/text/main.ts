// The page sends strings and gets vectors. The tokenizer and the model are in the worker.
import encoderUrl from "@framebatch/models/text-encoder.onnx?url";
import { createBatchedModel, FramebatchError } from "framebatch";

const SENTENCES = [
  "The train to the old station was late.",
  "My cat likes to sit on the mat.",
  "Soup with bread is for tomorrow.",
  "The dogs ran from the house in the snow.",
];

const input = document.querySelector<HTMLInputElement>("#text")!;
const list = document.querySelector("#sentences")!;

// text-encoder has random weights: texts with the same words are alike, and it knows no meaning. Put yours in its place.
const encoder = await createBatchedModel<string, number[]>(encoderUrl, {
  worker: () => new Worker(new URL("./encoder.worker.ts", import.meta.url), { type: "module" }),
  padding: { ids: {}, mask: {} }, // texts of different lengths share a batch
  shapeOf: (text) => ({ group: "", extents: [text.length] }), // but short texts do not wait for long ones
});

const vectors = await encoder.predictMany(SENTENCES); // one batch

async function rank() {
  const own = await encoder.predict(input.value, { key: "text" }); // a newer keystroke takes the place of this one
  if (own.some(Number.isNaN)) return list.replaceChildren(); // a text without words has no vector
  const scores = vectors.map((vector) => vector.reduce((sum, number, at) => sum + number * (own[at] ?? 0), 0));
  const ranked = SENTENCES.map((sentence, at) => ({ sentence, score: scores[at] ?? 0 }));
  ranked.sort((a, b) => b.score - a.score);
  list.replaceChildren(...ranked.map(({ sentence, score }) => row(`${sentence} (${score.toFixed(2)})`)));
}

function row(text: string) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

function show() {
  rank().catch((error: unknown) => {
    if (!(error instanceof FramebatchError && error.code === "SUPERSEDED")) throw error;
  });
}

input.addEventListener("input", show);
show();
