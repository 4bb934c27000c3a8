import { externalWeights, modelWithExternalWeights, WEIGHTS_PATH } from "@framebatch/models/external-weights";
import type { Page } from "@playwright/test";
import { ownHarness } from "../support/pages/own-harness.js";
import { runFirstInWorkers } from "../support/pages/worker-hook.js";
import { expect, test as base } from "../support/test.js";

/** `collectingPage`: a page whose scripts may collect garbage. */
const test = base.extend<{ collectingPage: Page }>({ collectingPage: ownHarness("--js-flags=--expose-gc") });

const SIZE = { matrices: 10, width: 128 };
const MATRIX_BYTES = SIZE.width * SIZE.width * Float32Array.BYTES_PER_ELEMENT;

/** Tells the page the size of each Blob that a worker reads. */
const TELL_READS = `{
  const reads = new BroadcastChannel("reads");
  for (const name of ["arrayBuffer", "stream"]) {
    const read = Blob.prototype[name];
    Blob.prototype[name] = function () {
      reads.postMessage(this.size);
      return read.call(this);
    };
  }
}`;

test("external weights on WASM are read matrix by matrix", async ({ harness }) => {
  const files = {
    "model.onnx": modelWithExternalWeights(SIZE),
    [WEIGHTS_PATH]: Buffer.concat([...externalWeights(SIZE)]),
  };
  for (const [name, bytes] of Object.entries(files)) {
    await harness.route(`**/large/${name}`, (route) => route.fulfill({ body: Buffer.from(bytes) }));
  }
  await runFirstInWorkers(harness, TELL_READS);
  const reason = await harness.evaluate(
    async ({ width, path }) => {
      const found: number[] = [];
      new BroadcastChannel("reads").onmessage = ({ data }) => found.push(Number(data));
      const model = await window.harness.createBatchedModel("/large/model.onnx", {
        executionProviders: ["wasm"],
        cache: false,
        externalData: [{ path, source: `/large/${path}` }],
      });
      await model.predict(new Float32Array(width).fill(1));
      Object.assign(globalThis, { found });
      return model.stats().providerTrials[0]?.reason;
    },
    { width: SIZE.width, path: WEIGHTS_PATH },
  );
  expect(reason).toContain("onnxruntime-web/jspi");
  const readSizes = () =>
    harness.evaluate(() => {
      const found: unknown = Reflect.get(globalThis, "found");
      return Array.isArray(found) ? found.map(Number) : [];
    });
  const readMatrices = async () => (await readSizes()).filter((size) => size === MATRIX_BYTES).length;
  // The channel is slower than the answer.
  await expect.poll(readMatrices).toBe(SIZE.matrices);
  // Its digest reads pieces of 8 MiB, of which it has one.
  expect((await readSizes()).filter((size) => size > MATRIX_BYTES)).toEqual([SIZE.matrices * MATRIX_BYTES]);
});

/** The worker collects garbage as often as it can. */
const COLLECT_GARBAGE = `setInterval(() => gc({ type: "major", execution: "sync" }));`;

test("a load with external weights survives garbage collections", async ({ collectingPage }) => {
  const size = { matrices: 16, width: 1024 };
  await runFirstInWorkers(collectingPage, COLLECT_GARBAGE);
  const found = await collectingPage.evaluate(
    async ({ bytes, path, size: { matrices, width } }) => {
      // A row of ones stays as it is. The browser takes several milliseconds to read a matrix of this size.
      const matrix = new Float32Array(width * width).fill(1 / width);
      const model = await window.harness.createBatchedModel(Uint8Array.from(bytes), {
        executionProviders: ["wasm"],
        externalData: [{ path, source: new Blob(Array.from({ length: matrices }, () => matrix)) }],
      });
      const { y } = await model.predict(new Float32Array(width).fill(1));
      return { reason: model.stats().providerTrials[0]?.reason, first: Number(y?.data[0]) };
    },
    { bytes: [...modelWithExternalWeights(size)], path: WEIGHTS_PATH, size },
  );
  expect(found.reason).toContain("onnxruntime-web/jspi");
  expect(found.first).toBeCloseTo(1, 3);
});
