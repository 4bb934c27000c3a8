/** Measures digits.onnx with onnxruntime-web: node digits/evaluate.mjs --data DIR [--model FILE]. See README.md. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import * as ort from "onnxruntime-web/wasm";
import { seededRandom } from "../src/random.mjs";
import { drawDigit, drawnDigits } from "./drawn-digits.mjs";

/**
 * @typedef {import("./drawn-digits.mjs").Placement} Placement
 * @typedef {readonly Float32Array[]} Images 784 numbers each
 */

const SIZE = 28;
const PIXELS = SIZE * SIZE;
const CLASSES = 10;
const TRAIN_COUNT = 7000; // train.py's default: training never sees the images after these

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    model: { type: "string", default: fileURLToPath(new URL("digits.onnx", import.meta.url)) },
  },
});

ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(options.model));

await reportDrawnDigits();
await reportSpeed();
if (options.data !== undefined && existsSync(join(options.data, "images-idx3-ubyte.gz"))) {
  await reportHeldOut(options.data);
} else {
  console.log("held-out digits: skipped, as --data names no folder that holds images-idx3-ubyte.gz");
}

/** @param {string} folder */
async function reportHeldOut(folder) {
  const pixels = Float32Array.from(readIdx(join(folder, "images-idx3-ubyte.gz")), (byte) => byte / 255);
  const labels = [...readIdx(join(folder, "labels-idx1-ubyte.gz"))].slice(TRAIN_COUNT);
  const images = labels.map((_, index) => {
    const start = (TRAIN_COUNT + index) * PIXELS;
    return pixels.subarray(start, start + PIXELS);
  });
  report("held-out digits", await classify(images), labels);
  for (const [name, placement] of Object.entries(placements(seededRandom(7)))) {
    const moved = images.map((image) => warped(image, placement()));
    report(`held-out digits, ${name}`, await classify(moved), labels);
  }
  await reportBatching(images.slice(0, 32));
}

/** @param {() => number} random @returns {Record<string, () => Placement>} */
function placements(random) {
  const shifted = () => ({ shift: /** @type {const} */ ([3 * random(), 3 * random()]) });
  const scaled = () => ({ scale: 0.9 + 0.25 * random() });
  const turned = () => ({ angle: (25 / 180) * Math.PI * random() });
  return {
    "shifted by up to 3 pixels": shifted,
    "scaled by 0.65 to 1.15": scaled,
    "turned by up to 25 degrees": turned,
    "all three": () => ({ ...shifted(), ...scaled(), ...turned() }),
  };
}

async function reportDrawnDigits() {
  for (const penWidth of [1.5, 2.5, 3.5]) {
    const random = seededRandom(11);
    const cases = drawnDigits.flatMap((drawn) => Array.from({ length: 20 }, () => drawn));
    const images = cases.map(({ strokes }) => {
      const shift = /** @type {const} */ ([2 * random(), 2 * random()]);
      const place = { angle: 0.3 * random(), scale: 0.9 + 0.2 * random(), shift };
      return drawDigit(strokes, { penWidth, place });
    });
    const labels = cases.map(({ digit }) => digit);
    report(`digits drawn with a pen ${penWidth} pixels wide`, await classify(images), labels);
  }
}

/** @param {Images} images */
async function reportBatching(images) {
  const together = await logits(images);
  const alone = [];
  for (const image of images) alone.push(...(await logits([image])));
  const largest = Math.max(...alone.map((value, index) => Math.abs(value - together[index])));
  console.log(`batch of ${images.length} against each alone: logits differ by at most ${largest.toExponential(1)}`);
}

async function reportSpeed() {
  for (const size of [1, 16, 64, 256]) {
    const images = Array.from({ length: size }, () => new Float32Array(PIXELS));
    const times = [];
    for (let run = 0; run < 51; run++) {
      const started = performance.now();
      await logits(images);
      times.push(performance.now() - started);
    }
    const median = times.sort((left, right) => left - right)[25];
    console.log(`batch of ${size}: median ${median.toFixed(2)} ms on WASM, one thread`);
  }
}

/** @param {string} name @param {readonly number[]} answers @param {readonly number[]} labels */
function report(name, answers, labels) {
  const right = labels.filter((label, index) => answers[index] === label).length;
  console.log(`${name}: ${right} of ${labels.length} right, ${((100 * right) / labels.length).toFixed(2)} %`);
}

/** @param {Images} images */
async function classify(images) {
  const answers = [];
  for (let start = 0; start < images.length; start += 64) {
    const rows = await logits(images.slice(start, start + 64));
    for (let row = 0; row < rows.length; row += CLASSES) {
      const scores = rows.slice(row, row + CLASSES);
      answers.push(scores.indexOf(Math.max(...scores)));
    }
  }
  return answers;
}

/** All rows in one run, one after the other. @param {Images} images @returns {Promise<number[]>} */
async function logits(images) {
  const data = new Float32Array(images.length * PIXELS);
  for (const [index, image] of images.entries()) data.set(image, index * PIXELS);
  const image = new ort.Tensor("float32", data, [images.length, 1, SIZE, SIZE]);
  const outputs = await session.run({ image });
  return Array.from(outputs.logits.data, Number);
}

/**
 * Shifts, scales and turns an image around its centre.
 *
 * @param {Float32Array} image @param {Placement} placement
 */
function warped(image, { angle = 0, scale = 1, shift = [0, 0] }) {
  const centre = (SIZE - 1) / 2;
  return Float32Array.from({ length: PIXELS }, (_, index) => {
    const right = (index % SIZE) - centre - shift[0];
    const down = Math.floor(index / SIZE) - centre - shift[1];
    const x = (right * Math.cos(angle) + down * Math.sin(angle)) / scale + centre;
    const y = (down * Math.cos(angle) - right * Math.sin(angle)) / scale + centre;
    return between(image, x, y);
  });
}

/** The value between four pixels, bilinearly; 0 outside. @param {Float32Array} image @param {number} x @param {number} y */
function between(image, x, y) {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  /** @param {number} column @param {number} row */
  const at = (column, row) =>
    Math.min(column, row) < 0 || Math.max(column, row) >= SIZE ? 0 : image[row * SIZE + column];
  const upper = at(left, top) * (left + 1 - x) + at(left + 1, top) * (x - left);
  const lower = at(left, top + 1) * (left + 1 - x) + at(left + 1, top + 1) * (x - left);
  return upper * (top + 1 - y) + lower * (y - top);
}

/** The bytes after the header of a gzipped IDX file. @param {string} path */
function readIdx(path) {
  const bytes = gunzipSync(readFileSync(path));
  return bytes.subarray(4 + 4 * bytes[3]);
}
