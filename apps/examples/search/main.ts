import encoderUrl from "@framebatch/models/text-encoder.onnx?url";
import { createBatchedModel, FramebatchError } from "framebatch";
import { notes } from "./notes.js";

const input = document.querySelector<HTMLInputElement>("#query")!;
const progress = document.querySelector<HTMLOutputElement>("#progress")!;
const list = document.querySelector("#found")!;

const encoder = await createBatchedModel<string, number[]>(encoderUrl, {
  worker: () => new Worker(new URL("../text/encoder.worker.ts", import.meta.url), { type: "module" }),
  padding: { ids: {}, mask: {} }, // texts of different lengths share a batch
  shapeOf: (text) => ({ group: "", extents: [text.length] }), // but short texts do not wait for long ones
});

const vectors: number[][] = [];

/** Pulls notes only as fast as they are encoded. Keystrokes go first, and wait for at most one frame of this. */
async function index() {
  for await (const vector of encoder.predictStream(notes, { priority: "background" })) {
    vectors.push(vector);
    progress.value = String(vectors.length);
  }
}

/** Searches what is indexed by now. A newer keystroke takes the place of this one while it waits. */
async function search() {
  try {
    const query = await encoder.predict(input.value, { key: "query", priority: "user-blocking" });
    if (query.some(Number.isNaN)) return list.replaceChildren(); // a text without words has no vector
    const scores = vectors.map((vector) => vector.reduce((sum, number, at) => sum + number * (query[at] ?? 0), 0));
    const best = scores.map((score, at) => ({ score, note: notes[at] })).sort((a, b) => b.score - a.score);
    list.replaceChildren(...best.slice(0, 10).map(({ note }) => row(note ?? "")));
  } catch (error) {
    if (!(error instanceof FramebatchError && error.code === "SUPERSEDED")) throw error;
  }
}

function row(text: string) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

input.addEventListener("input", () => void search());
await index();
await search();
