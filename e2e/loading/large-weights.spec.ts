import { externalWeights, modelWithExternalWeights, WEIGHTS_PATH } from "@framebatch/models/external-weights";
import { runFirstInWorkers } from "../support/pages/worker-hook.js";
import { expect, test } from "../support/test.js";

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
  expect(Math.max(...(await readSizes()))).toBe(MATRIX_BYTES);
});
