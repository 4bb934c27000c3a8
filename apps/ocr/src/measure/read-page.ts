import { Tensor, type InferenceSession } from "onnxruntime-web/wasm";
import type { ImageSource, ImageTensor } from "framebatch/handlers";
import { detectorInput, detectorSize } from "../boxes/detector-input.js";
import { scaleBox } from "../boxes/geometry.js";
import { readingOrder } from "../boxes/reading-order.js";
import { findTextBoxes, type TextBox } from "../boxes/text-boxes.js";
import { cutLine, lineInput } from "../lines/cut-line.js";
import { alongText } from "../lines/line-size.js";
import type { Alphabet } from "../text/alphabet.js";
import { decode, type ReadLine } from "../text/decode.js";

export interface Reader {
  readonly detector: InferenceSession;
  readonly recognizer: InferenceSession;
  readonly alphabet: Alphabet;
}

export interface ReadPage {
  /** In reading order. */
  readonly lines: readonly (ReadLine & { readonly box: TextBox })[];
  readonly detectMs: number;
  readonly readMs: number;
}

/** Reads a page with ONNX Runtime itself, one line at a time: what the pipeline is compared with. */
export async function readPage(
  page: OffscreenCanvas,
  { detector, recognizer, alphabet }: Reader,
  limit: number,
): Promise<ReadPage> {
  const start = performance.now();
  const boxes = await detect(page, detector, limit);
  const detected = performance.now();
  const lines = [];
  for (const box of boxes) {
    const { data } = await run(recognizer, lineInput(cutLine(page, box)));
    lines.push({ ...decode(data, alphabet), box });
  }
  return { lines, detectMs: detected - start, readMs: performance.now() - detected };
}

async function detect(page: OffscreenCanvas & ImageSource, detector: InferenceSession, limit: number) {
  const size = detectorSize(page, limit);
  const { data } = await run(detector, detectorInput(page, size));
  const boxes = findTextBoxes({ values: data, ...size });
  const onPage = boxes.map((box) => ({
    ...scaleBox(box, page.width / size.width, page.height / size.height),
    score: box.score,
  }));
  return readingOrder(onPage.map(alongText));
}

async function run(session: InferenceSession, { data, dims }: ImageTensor): Promise<{ data: Float32Array }> {
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => [name, new Tensor("float32", Float32Array.from(data), [1, ...dims])]),
  );
  const [output] = Object.values(await session.run(feeds));
  if (!(output?.data instanceof Float32Array)) throw new Error(`expected float32, got ${output?.type}`);
  return { data: output.data };
}
