// The page of the measurement: draws test pages, and reads them with ONNX Runtime itself.
import { env, InferenceSession } from "onnxruntime-web/wasm";
import { cornersOf } from "../boxes/geometry.js";
import { drawPage } from "../pages/draw-page.js";
import { pageStyle } from "../pages/page-style.js";
import { readAlphabet } from "../text/alphabet.js";
import { characterErrors } from "../text/error-rate.js";
import { matchLines } from "./match-lines.js";
import { measurePipeline, openPipeline, type PageResult } from "./pipelines.js";
import { readPage, type Reader } from "./read-page.js";

const MODELS = "/ocr-models";

async function openReader(): Promise<Reader> {
  env.wasm.numThreads = 1;
  const [detector, recognizer, dictionary] = await Promise.all([
    InferenceSession.create(`${MODELS}/ch_PP-OCRv4_det_infer.onnx`),
    InferenceSession.create(`${MODELS}/ch_PP-OCRv4_rec_infer.onnx`),
    fetch(`${MODELS}/ppocr_keys_v1.txt`).then((response) => response.text()),
  ]);
  return { detector, recognizer, alphabet: readAlphabet(dictionary) };
}

async function measurePage(reader: Reader, index: number, paragraphs: readonly string[], limit: number) {
  const style = pageStyle(index);
  const page = drawPage(paragraphs, style);
  const read = await readPage(page.canvas, reader, limit);
  const text = read.lines.map((line) => line.text).join("\n");
  const truth = page.lines.map((line) => line.text).join("\n");
  const boxes = read.lines.map(({ box }) => cornersOf(box));
  showBoxes(page.canvas, boxes);
  return {
    style,
    text,
    truth,
    ...characterErrors(text, truth),
    matched: matchLines(page.lines, read.lines),
    linesRead: read.lines.length,
    linesTrue: page.lines.length,
    detectMs: read.detectMs,
    readMs: read.readMs,
  };
}

/** Loads 10 MB, so only if it is asked for. */
async function openPeer() {
  const { openPeer: open, readWithPeer } = await import("./peer.js");
  return { peer: await open(MODELS), readWithPeer };
}

async function measurePeer(
  { peer, readWithPeer }: Awaited<ReturnType<typeof openPeer>>,
  index: number,
  paragraphs: readonly string[],
): Promise<PageResult> {
  const style = pageStyle(index);
  const { canvas, lines } = drawPage(paragraphs, style);
  const { text, ms } = await readWithPeer(peer, canvas);
  const truth = lines.map((line) => line.text).join("\n");
  // It returns all lines at once.
  return { ...characterErrors(text, truth), lines: lines.length, columns: style.columns, ms, firstLineMs: ms };
}

/** Shows the page with the boxes around its lines, numbered in reading order. */
function showBoxes(page: OffscreenCanvas, boxes: readonly ReturnType<typeof cornersOf>[]): void {
  const canvas = document.querySelector("canvas");
  const context = canvas?.getContext("2d");
  if (canvas === null || context === null || context === undefined) throw new Error("expected a canvas");
  [canvas.width, canvas.height] = [page.width, page.height];
  context.drawImage(page, 0, 0);
  context.strokeStyle = "red";
  context.fillStyle = "blue";
  boxes.forEach((corners, index) => {
    const [first] = corners;
    context.beginPath();
    for (const { x, y } of corners) context.lineTo(x, y);
    context.closePath();
    context.stroke();
    context.fillText(String(index + 1), first.x - 14, first.y + 14);
  });
}

const ocr = { openReader, measurePage, openPipeline, measurePipeline, openPeer, measurePeer };

declare global {
  interface Window {
    ocr: typeof ocr;
  }
}

window.ocr = ocr;
