// What a remote model must do on a real server, in Node, with the built package.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { drawDigit, drawnDigits } from "../../models/digits/drawn-digits.mjs";
import { root } from "../workspace.mjs";

/** Maximum difference of a logit from the one that ONNX Runtime computes here. */
const TOLERANCE = 1e-4;

/** @typedef {{ url: string, kill: () => Promise<void> }} Server */
/** @typedef {Record<string, (server: Server) => Promise<string>>} Contract each check returns what it has found */

/** The drawings that are predicted. */
const images = drawnDigits.map(({ strokes }) => drawDigit(strokes, { penWidth: 2 }));

/** @param {boolean} takesBinary whether the server takes binary tensors @returns {Promise<Contract>} */
export async function contractOf(takesBinary) {
  const { createRemoteModel } = await import(pathToFileURL(path.join(root, "packages/framebatch/dist/index.js")).href);
  const expected = await logitsHere();
  const open = (/** @type {Server} */ { url }, options = {}) => createRemoteModel(url, { model: "digits", ...options });

  const agreement = async (/** @type {Server} */ server, /** @type {boolean} */ binary) => {
    const model = await open(server, { binary, batching: { release: "idle" } });
    const answers = await model.predictMany(images);
    const differences = answers.flatMap(({ logits }, row) =>
      [...logits.data].map((value, digit) => Math.abs(value - expected[row][digit])),
    );
    const { batches, isBinary } = model.stats();
    await model.dispose();
    const most = Math.max(...differences);
    must(isBinary === binary, `expected binary ${binary}`);
    must(batches.count < images.length, `expected batches, got ${batches.count} for ${images.length} items`);
    must(most <= TOLERANCE, `expected logits within ${TOLERANCE}, got a difference of ${most}`);
    return `${images.length} items in ${batches.count} batches, largest difference ${most.toExponential(1)}`;
  };

  return {
    "the metadata are those of the model": async (server) => {
      const model = await open(server);
      const described = JSON.stringify(
        [model.inputs, model.outputs].map(([{ name, type, dims }]) => [name, type, dims]),
      );
      must(described === '[["image","float32",[null,1,28,28]],["logits","float32",[null,10]]]', described);
      return described;
    },
    "answers agree with those of this machine (JSON)": (server) => agreement(server, false),
    ...(takesBinary && { "answers agree with those of this machine (binary)": (server) => agreement(server, true) }),
    "items of several sizes are answered right, and a bad one fails alone, however many are in flight": async (
      server,
    ) => {
      const counts = [];
      for (const instances of [1, 4]) {
        const model = await open(server, { model: "lines", maxBatchSize: 4, instances });
        const items = Array.from({ length: 48 }, (_, index) => itemOfLines(index, index % 16 === 9));
        const outcomes = await Promise.allSettled(items.map(({ x }) => model.predict({ x })));
        const wrong = outcomes.filter((outcome, index) => !isRight(outcome, items[index]?.y));
        must(wrong.length === 0, `instances ${instances}: ${wrong.length} wrong: ${JSON.stringify(wrong.slice(0, 3))}`);
        counts.push(model.stats().batches.count);
        await model.dispose();
      }
      return `48 items in ${counts.join(" and ")} batches`;
    },
    "a number that JSON cannot carry arrives, or rejects its item alone": async (server) => {
      const model = await open(server, { model: "lines", batching: { release: "idle" } });
      const items = [1, 0, 1].map((value) => ({ data: new Float32Array(4).fill(value), dims: [2, 2] }));
      const outcomes = await Promise.allSettled(items.map((x) => model.predict({ x })));
      const found = outcomes.map((outcome) =>
        outcome.status === "fulfilled" ? outcome.value.y.data[0].toFixed(3) : outcome.reason.code,
      );
      must(found.join() === `0.693,${takesBinary ? "-Infinity" : "REMOTE_INVALID"},0.693`, found.join());
      return found.join();
    },
    "an item that cannot be sent fails alone": async (server) => {
      const model = await open(server, { batching: { release: "idle" }, binary: false });
      const items = images.slice(0, 8).map((image, index) => (index === 3 ? image.map(() => NaN) : image));
      const outcomes = await Promise.allSettled(items.map((item) => model.predict(item)));
      const codes = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "answered"));
      must(
        codes.every((code, index) => code === (index === 3 ? "INVALID_INPUT" : "answered")),
        codes.join(),
      );
      return codes[3];
    },
    "an aborted request rejects, and others are answered": async (server) => {
      const model = await open(server);
      const aborted = model.predict(images[0], { signal: AbortSignal.timeout(1) }).catch((error) => error.name);
      const { logits } = await model.predict(images[1]);
      must(logits.data.length === 10, "expected logits");
      return await aborted;
    },
    "a model that the server does not have is named": async (server) => {
      const error = await createRemoteModel(server.url, { model: "other" }).catch((reason) => reason);
      must(error.code === "REMOTE_STATUS" && error.details.status === 404, String(error));
      return error.message;
    },
    "a server that is killed causes one clear error": async (server) => {
      const model = await open(server);
      await server.kill();
      const error = await model.predict(images[0]).catch((reason) => reason);
      must(error.code === "REMOTE_UNREACHABLE" && error.details.tries === 3, String(error));
      return error.message;
    },
  };
}

/**
 * Returns an item of the model `lines`, portrait, landscape or longer, and its answer; `null` for a bad one.
 * @param {number} index @param {boolean} isBad
 */
function itemOfLines(index, isBad) {
  const dims = [2 + (index % 2), 3 - (index % 2) + (index % 3 === 0 ? 2 : 0)];
  const [lines = 0, width = 0] = dims;
  const data = Float32Array.from({ length: lines * width }, (_, at) => (at + 1) * (index + 1));
  if (isBad) data[0] = -1;
  return { x: { data, dims }, y: isBad ? null : Math.log(((index + 1) * width * (width + 1)) / 2) };
}

/** @param {PromiseSettledResult<{ y: { data: ArrayLike<number> } }>} outcome @param {number | null | undefined} expected */
function isRight(outcome, expected) {
  if (expected === null) return outcome.status === "rejected" && outcome.reason.code === "REMOTE_STATUS";
  return outcome.status === "fulfilled" && Math.abs(outcome.value.y.data[0] - Number(expected)) < TOLERANCE;
}

/** Returns the logits of each drawing as ONNX Runtime computes them here. @returns {Promise<number[][]>} */
async function logitsHere() {
  const ort = createRequire(path.join(root, "models/package.json"))("onnxruntime-web/wasm");
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(readFileSync(path.join(root, "models/digits/digits.onnx")));
  const logits = [];
  for (const image of images) {
    const results = await session.run({ image: new ort.Tensor("float32", image, [1, 1, 28, 28]) });
    logits.push([...results.logits.data]);
  }
  return logits;
}

/** @param {boolean} isMet @param {string} message */
function must(isMet, message) {
  if (!isMet) throw new Error(message);
}
