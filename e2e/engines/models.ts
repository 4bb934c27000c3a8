import {
  clearModelCache,
  createBatchedModel,
  listCachedModels,
  type BatchedModel,
  type ModelOptions,
} from "framebatch";
import { distance } from "../fixtures/distance.js";
import { failureOf } from "../fixtures/failure.js";
import { itemFor, itemsFor } from "../fixtures/items.js";
import { createReference } from "../fixtures/reference.js";
import { expectEqual, expectTrue, NotHere, type Promises } from "./promise.js";
import { withWorkersInHand } from "./workers-in-hand.js";

const TINY = "/models/mlp-tiny.onnx";
const WASM: ModelOptions = { executionProviders: ["wasm"] };

/**
 * A hundred times the duration of a run of the tiny model on an idle machine: a longer run means that the worker is
 * gone.
 */
const PATIENCE_MS = 5000;

/** Tests of loading, of the cache, and of recovery when a worker ends. */
export const models: Promises = {
  async "the model reports its inputs, outputs and state"() {
    const model = await createBatchedModel("/models/digits/digits.onnx", WASM);
    const { inputs, outputs, state, executionProvider } = model;
    await model.dispose();
    expectEqual(
      [...inputs, ...outputs].map(({ name, type, dims, batchAxis }) => [name, type, dims, batchAxis]),
      [
        ["image", "float32", [null, 1, 28, 28], 0],
        ["logits", "float32", [null, 10], 0],
      ],
    );
    expectEqual([state, executionProvider], ["ready", "wasm"]);
  },

  async "a model loads from an ArrayBuffer, a typed array and a Blob, without detaching them"() {
    const bytes = await (await fetch(TINY)).arrayBuffer();
    for (const source of [bytes, new Uint8Array(bytes), new Blob([bytes])]) {
      const model = await createBatchedModel(source, WASM);
      await expectRight(model, 1);
      await model.dispose();
    }
    expectTrue(bytes.byteLength > 1000, "a caller's buffer that is not detached");
  },

  async "by default the model chooses a provider that works, with a reason for each trial"() {
    const model = await createBatchedModel(TINY);
    const { providerTrials, executionProvider } = model.stats();
    await expectRight(model, 1);
    await model.dispose();
    expectEqual(providerTrials.at(-1)?.provider, executionProvider);
    expectTrue(
      providerTrials.every(({ reason }) => reason !== ""),
      "a reason for each trial",
    );
  },

  async "a model that allows only WebGPU rejects with UNSUPPORTED if WebGPU is missing"() {
    const gpu: { requestAdapter(): Promise<unknown> } | undefined = Reflect.get(navigator, "gpu");
    if (gpu !== undefined && (await gpu.requestAdapter()) !== null) throw new NotHere("this browser offers WebGPU");
    expectEqual((await failureOf(createBatchedModel(TINY, { executionProviders: ["webgpu"] })))?.code, "UNSUPPORTED");
  },

  async "a later load comes from the cache, which lists the model and can be cleared"() {
    const url = new URL(`${TINY}?cached=${Math.random()}`, location.href).href;
    const first = await createBatchedModel(url, WASM);
    // The cache is written after the model is ready. On a busy machine the cache may time out, and the load uses the
    // network.
    await until(async () => (await listed()).includes(url));
    await first.dispose();
    await until(async () => {
      const model = await createBatchedModel(url, WASM);
      await expectRight(model, 2);
      await model.dispose();
      return model.stats().fromCache;
    });
    await until(() =>
      clearModelCache(url).then(
        () => true,
        () => false,
      ),
    );
    await until(async () => !(await listed()).includes(url));
  },

  async "two concurrent loads of the same model both predict"() {
    const both = await Promise.all([1, 2].map(() => createBatchedModel(`${TINY}?twice`, WASM)));
    for (const model of both) await expectRight(model, 3);
    for (const model of both) await model.dispose();
  },

  async "a model with two instances answers correctly"() {
    const model = await createBatchedModel(TINY, { ...WASM, instances: 2, maxBatchSize: 4 });
    for (const seed of [1, 9]) await expectRight(model, seed);
    await model.dispose();
  },

  async "progress goes from the download to ready"() {
    const phases: string[] = [];
    const onProgress = ({ phase }: { phase: string }) => phases.push(phase);
    await (await createBatchedModel(TINY, { ...WASM, cache: false, onProgress })).dispose();
    expectEqual([phases.at(0), phases.at(-1)], ["download", "ready"]);
  },

  "a missing file rejects with MODEL_STATUS": failing("/models/no-such.onnx", {}, "MODEL_STATUS"),
  "a web page in place of the model rejects with MODEL_HTML": failing("/contract.html", {}, "MODEL_HTML"),
  "bytes that are not a model reject with MODEL_INVALID": failing(new Uint8Array(4096).fill(73), {}, "MODEL_INVALID"),
  "an address that is not a valid URL rejects with INVALID_OPTION": failing("http://[", {}, "INVALID_OPTION"),
  "a refused connection rejects with MODEL_NETWORK": failing("http://localhost:9/a.onnx", {}, "MODEL_NETWORK"),
  "a wrong digest rejects with MODEL_INTEGRITY": failing(
    TINY,
    { integrity: `sha256-${btoa("x".repeat(32))}` },
    "MODEL_INTEGRITY",
  ),
  "a model beyond maxModelBytes rejects with MODEL_TOO_LARGE": failing(
    TINY,
    { maxModelBytes: 100, cache: false },
    "MODEL_TOO_LARGE",
  ),
  "a missing worker script rejects with WORKER_LOAD_FAILED": failing(
    TINY,
    { workerUrl: "/no-such-worker.js" },
    "WORKER_LOAD_FAILED",
  ),
  "a web page in place of the worker script rejects with WORKER_LOAD_FAILED": failing(
    TINY,
    { workerUrl: "/contract.html" },
    "WORKER_LOAD_FAILED",
  ),
  "a wrong wasmPaths rejects with RUNTIME_LOAD_FAILED": failing(
    TINY,
    { wasmPaths: "/no-such-folder/" },
    "RUNTIME_LOAD_FAILED",
  ),

  async "an abort while the model loads rejects with the signal's own reason"() {
    const reason = { why: "the user left" };
    const controller = new AbortController();
    const onProgress = () => controller.abort(reason);
    const loading = createBatchedModel(TINY, { ...WASM, signal: controller.signal, onProgress });
    expectTrue((await loading.catch((error: unknown) => error)) === reason, "the signal's reason");
  },

  async "a worker that is terminated without an event is replaced, and open requests are answered"() {
    await withWorkersInHand(async (workers) => {
      const model = await createBatchedModel(TINY, { ...WASM, runTimeoutMs: PATIENCE_MS });
      const states = listen(model);
      workers.at(-1)?.terminate();
      await expectRight(model, 4);
      expectEqual(states, ["recovering", "ready"]);
      await model.dispose();
    });
  },

  async "a worker that reports an error is replaced, and open requests are answered"() {
    await withWorkersInHand(async (workers) => {
      const model = await createBatchedModel(TINY, WASM);
      const states = listen(model);
      const open = expectRight(model, 5);
      workers.at(-1)?.dispatchEvent(new ErrorEvent("error", { message: "broken on purpose" }));
      await open;
      await expectRight(model, 6);
      expectEqual(states, ["recovering", "ready"]);
      await model.dispose();
    });
  },

  async "restart replaces the worker, and open and later requests are answered"() {
    const model = await createBatchedModel(TINY, WASM);
    const open = expectRight(model, 7);
    await model.restart();
    await open;
    await expectRight(model, 8);
    await model.dispose();
  },
};

async function listed(): Promise<string[]> {
  const cached = await listCachedModels().catch(() => []);
  return cached.map(({ url }) => url);
}

/** Polls a condition until it is true. The deadline of the test ends the loop. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

function failing(source: string | Uint8Array<ArrayBuffer>, options: ModelOptions, code: string): () => Promise<void> {
  return async () => {
    const failure = await failureOf(createBatchedModel(source, { ...WASM, ...options }));
    expectEqual(failure?.code ?? failure, code);
    expectTrue((failure?.message.length ?? 0) > 20, "a message of more than 20 characters");
  };
}

function listen(model: BatchedModel): string[] {
  const states: string[] = [];
  model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
  return states;
}

/** Sends a burst of eight items to the tiny model, and compares the answers with ONNX Runtime called directly. */
async function expectRight(model: BatchedModel, seed: number): Promise<void> {
  const items = itemsFor("mlp-tiny", 8, seed);
  const results = await Promise.all(items.map((item) => model.predict(item)));
  const reference = await createReference(TINY, "wasm");
  for (const [index, outputs] of results.entries()) {
    const apart = distance(outputs, await reference.run(itemFor("mlp-tiny", seed + index)));
    expectTrue(apart <= 1e-4, `answer ${index} to be correct, got a difference of ${apart}`);
  }
}
