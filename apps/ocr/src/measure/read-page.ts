import { Tensor, type InferenceSession } from "onnxruntime-web/wasm";
import type { ImageTensor } from "framebatch/handlers";
import { detectorInput, detectorSize } from "../boxes/detector-input.js";
import { scaleBox } from "../boxes/geometry.js";
import { readingOrder } from "../boxes/reading-order.js";
import { findTextBoxes, type TextBox } from "../boxes/text-boxes.js";
import { cutLine, lineInput } from "../lines/cut-line.js";
import { alongText, lineWidth } from "../lines/line-size.js";
import { classifierInput, isUpsideDown, turnedAround } from "../lines/upside-down.js";
import type { PlacedText } from "../reader/found-line.js";
import type { Alphabet } from "../text/alphabet.js";
import { decode } from "../text/decode.js";

export interface Reader {
  readonly detector: InferenceSession;
  readonly recognizer: InferenceSession;
  readonly alphabet: Alphabet;
  /** Finds lines that are upside down. Without it, every line counts as upright. */
  readonly classifier?: InferenceSession;
}

export interface ReadPage {
  /** In reading order. */
  readonly lines: readonly PlacedText[];
  readonly detectMs: number;
  readonly readMs: number;
}

/**
 * Reads a page with ONNX Runtime itself, one line at a time: what the pipeline is compared with.
 * @param limit the longer side of the detector's input, in pixels
 */
export async function readPage(page: OffscreenCanvas, reader: Reader, limit: number): Promise<ReadPage> {
  const start = performance.now();
  const boxes = await detect(page, reader.detector, limit);
  const detected = performance.now();
  const lines = [];
  for (const box of boxes) lines.push(await readLine(page, box, reader));
  return { lines: inOrder(lines), detectMs: detected - start, readMs: performance.now() - detected };
}

async function detect(page: OffscreenCanvas, detector: InferenceSession, limit: number): Promise<TextBox[]> {
  const size = detectorSize(page, limit);
  const values = await run(detector, detectorInput(page, size));
  const [across, down] = [page.width / size.width, page.height / size.height];
  return findTextBoxes({ values, ...size }).map((box) => ({ ...box, ...scaleBox(box, across, down) }));
}

async function readLine(page: OffscreenCanvas, found: TextBox, reader: Reader): Promise<PlacedText> {
  const box = await upright(page, alongText(found), reader.classifier);
  const probabilities = await run(reader.recognizer, lineInput(cutLine(page, box)));
  return { ...decode(probabilities, reader.alphabet), box };
}

async function upright(page: OffscreenCanvas, box: TextBox, classifier?: InferenceSession): Promise<TextBox> {
  if (classifier === undefined) return box;
  const probabilities = await run(classifier, classifierInput(cutLine(page, box), lineWidth(box)));
  return isUpsideDown(probabilities) ? turnedAround(box) : box;
}

/** The order depends on which way the lines are read, so it comes last. */
function inOrder(lines: readonly PlacedText[]): PlacedText[] {
  return readingOrder(lines.map((line) => ({ ...line.box, line }))).map(({ line }) => line);
}

async function run(session: InferenceSession, { data, dims }: ImageTensor): Promise<Float32Array> {
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => [name, new Tensor("float32", Float32Array.from(data), [1, ...dims])]),
  );
  const [output] = Object.values(await session.run(feeds));
  if (!(output?.data instanceof Float32Array)) throw new Error(`expected float32, got ${output?.type}`);
  return output.data;
}
