import { MODEL_PATHS } from "./support/site.js";
import { expect, test } from "./support/test.js";

/** What the script tag of a plain page leaves behind. */
declare const framebatch: typeof import("framebatch");

const TINY = MODEL_PATHS["mlp-tiny"];

const BROKEN = [
  { what: "a missing file", path: "/faults/missing.onnx", code: "MODEL_STATUS", says: /404/ },
  { what: "a server that is down", path: "/faults/unavailable.onnx", code: "MODEL_STATUS", says: /503/ },
  { what: "an HTML page in its place", path: "/faults/page.onnx", code: "MODEL_INVALID", says: /html/i },
  { what: "a file that is no ONNX model", path: "/faults/noise.onnx", code: "MODEL_INVALID", says: /onnx/i },
  { what: "an empty file", path: "/faults/empty.onnx", code: "MODEL_INVALID", says: /empty|0 bytes|no bytes/i },
] as const;

for (const { what, path, code, says } of BROKEN) {
  test(`${what} instead of the model rejects with ${code}, and the right one still loads`, async ({ harness }) => {
    const { failure, state } = await harness.evaluate(
      async ({ bad, good }) => {
        const { createBatchedModel, failureOf } = window.harness;
        const failed = await failureOf(createBatchedModel(bad, { executionProviders: ["wasm"] }));
        const model = await createBatchedModel(good, { executionProviders: ["wasm"] });
        return { failure: failed, state: model.state };
      },
      { bad: path, good: TINY },
    );
    expect(failure).toMatchObject({ code, name: "FramebatchError" });
    expect(failure?.message).toMatch(says);
    expect(state).toBe("ready");
  });
}

test("a model that another origin keeps to itself rejects with MODEL_NETWORK", async ({ page, home, elsewhere }) => {
  const script = `${elsewhere.url}/sdk/framebatch.js`;
  await page.goto(`${elsewhere.url}/plain-page?kind=module&script=${encodeURIComponent(script)}`);
  await page.waitForFunction(() => "framebatch" in globalThis);
  const code = await page.evaluate(async (url) => {
    return framebatch.createBatchedModel(url, { executionProviders: ["wasm"] }).then(
      () => "loaded",
      (error: { code?: string }) => error.code,
    );
  }, `${home.url}${TINY}`);
  expect(code).toBe("MODEL_NETWORK");
});

test("a digest that does not match rejects with MODEL_INTEGRITY", async ({ harness }) => {
  const failure = await harness.evaluate((url) => {
    const integrity = `sha256-${btoa("x".repeat(32))}`;
    return window.harness.failureOf(
      window.harness.createBatchedModel(url, { executionProviders: ["wasm"], integrity }),
    );
  }, TINY);
  expect(failure?.code).toBe("MODEL_INTEGRITY");
});

test("the second load comes from the cache", async ({ harness, home }) => {
  const load = () =>
    harness.evaluate(async (url) => {
      const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
      const { fromCache, modelBytes } = model.stats();
      await model.dispose();
      return { fromCache, modelBytes };
    }, TINY);
  const first = await load();
  const fullAnswers = () => home.answered.filter(({ path, status }) => path === TINY && status === 200).length;
  const before = fullAnswers();
  await harness.reload();
  await harness.waitForFunction(() => "harness" in window);
  const second = await load();
  expect(first).toMatchObject({ fromCache: false });
  expect(second).toEqual({ fromCache: true, modelBytes: first.modelBytes });
  expect(fullAnswers()).toBe(before);
});

test("a model also comes as bytes, as a view or as a Blob, which stay the caller's", async ({ harness }) => {
  const results = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemFor } = window.harness;
    const bytes = await (await fetch(url)).arrayBuffer();
    const padded = new Uint8Array(bytes.byteLength + 16);
    padded.set(new Uint8Array(bytes), 8);
    const sources = [bytes, padded.subarray(8, 8 + bytes.byteLength), new Blob([bytes]), new URL(url, location.href)];
    const outputs: string[] = [];
    for (const source of sources) {
      const model = await createBatchedModel(source, { executionProviders: ["wasm"] });
      const { y } = await model.predict(itemFor("mlp-tiny", 1));
      outputs.push(Array.from(y?.data ?? [], Number).join());
      await model.dispose();
    }
    return { outputs: [...new Set(outputs)], kept: bytes.byteLength > 0 && padded.byteLength > 16 };
  }, TINY);
  expect(results.outputs).toHaveLength(1);
  expect(results.kept).toBe(true);
});

test("progress never goes back, and ends with ready", async ({ harness }) => {
  const seen = await harness.evaluate(async (url) => {
    const progress: { phase: string; loadedBytes: number; totalBytes: number | null }[] = [];
    await window.harness.createBatchedModel(url, {
      executionProviders: ["wasm"],
      onProgress: (step) => progress.push({ ...step }),
    });
    return progress;
  }, MODEL_PATHS["mlp-784"]);
  const order = ["download", "cache", "compile", "warmup", "ready"];
  const phases = seen.map(({ phase }) => order.indexOf(phase));
  const bytes = seen.map(({ loadedBytes }) => loadedBytes);
  expect(phases).toEqual(phases.toSorted((a, b) => a - b));
  expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
  expect(seen.at(0)?.phase).toBe("download");
  expect(seen.at(-1)?.phase).toBe("ready");
  expect(seen.at(-1)?.totalBytes).toBe(bytes.at(-1));
});

test("loading can be aborted", async ({ harness }) => {
  const same = await harness.evaluate((url) => {
    const controller = new AbortController();
    const reason = new Error("left the page");
    const loading = window.harness.createBatchedModel(url, { executionProviders: ["wasm"], signal: controller.signal });
    controller.abort(reason);
    return loading.then(
      () => false,
      (error: unknown) => error === reason,
    );
  }, TINY);
  expect(same).toBe(true);
  await expect.poll(() => harness.workers().length).toBe(0);
});

test("a worker script that is missing, or a page in its place, rejects with WORKER_LOAD_FAILED", async ({
  harness,
}) => {
  const codes = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf } = window.harness;
    const attempts = ["/no-such-worker.js", "/faults/page.onnx"].map((workerUrl) =>
      failureOf(createBatchedModel(url, { executionProviders: ["wasm"], workerUrl })),
    );
    return (await Promise.all(attempts)).map((failure) => failure?.code);
  }, TINY);
  expect(codes).toEqual(["WORKER_LOAD_FAILED", "WORKER_LOAD_FAILED"]);
});

test("ONNX Runtime's files missing rejects with RUNTIME_LOAD_FAILED", async ({ harness }) => {
  const failure = await harness.evaluate(
    (url) =>
      window.harness.failureOf(
        window.harness.createBatchedModel(url, { executionProviders: ["wasm"], wasmPaths: "/no-such-folder/" }),
      ),
    TINY,
  );
  expect(failure?.code).toBe("RUNTIME_LOAD_FAILED");
});

test("a wrong option is refused before anything is loaded", async ({ harness }) => {
  const failures = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf } = window.harness;
    const wrong = [
      { maxBatchSize: 0 },
      { maxBatchSize: Number.NaN },
      { allowedBatchSizes: [4, 2] },
      { maxQueueDelayMs: -1 },
    ];
    return Promise.all(wrong.map((options) => failureOf(createBatchedModel(url, options))));
  }, TINY);
  for (const failure of failures) {
    expect(failure).toMatchObject({ code: "INVALID_OPTION" });
    expect(failure?.message).toMatch(/expected .*got /i);
  }
  expect(harness.workers()).toHaveLength(0);
});
