import type { Page } from "@playwright/test";
import type { LoadProgress } from "framebatch";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

const TINY = MODEL_PATHS["mlp-tiny"];

/** The progress that a test records in the page. */
declare const recorded: LoadProgress[];

test("a model loads from an ArrayBuffer, also a resizable one, a view, a Blob and a URL, and buffers stay attached", async ({
  harness,
}) => {
  const results = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemFor } = window.harness;
    const bytes = await (await fetch(url)).arrayBuffer();
    const padded = new Uint8Array(bytes.byteLength + 16);
    padded.set(new Uint8Array(bytes), 8);
    const growing: ArrayBuffer = Reflect.construct(ArrayBuffer, [bytes.byteLength, { maxByteLength: 2 ** 20 }]);
    const grown = new Uint8Array(growing);
    grown.set(new Uint8Array(bytes));
    const views = [padded.subarray(8, 8 + bytes.byteLength), grown];
    const sources = [bytes, growing, ...views, new Blob([bytes]), new URL(url, location.href)];
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

test("bytes and an address of a frame load as those of the page do", { tag: LONG }, async ({ harness }) => {
  const outputs = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemFor } = window.harness;
    const frame = document.body.appendChild(document.createElement("iframe"));
    const make = (name: string, ...args: unknown[]) => {
      const Class: unknown = Reflect.get(frame.contentWindow ?? {}, name);
      if (typeof Class !== "function") throw new Error(`expected a frame with ${name}`);
      return Reflect.construct(Class, args);
    };
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    const view: Uint8Array<ArrayBuffer> = make("Uint8Array", bytes);
    const address: URL = make("URL", url, location.href);
    const found: string[] = [];
    for (const source of [bytes, view.buffer, view, make("Blob", [bytes]), make("File", [bytes], "f"), address]) {
      const model = await createBatchedModel(source, { executionProviders: ["wasm"] });
      const { y } = await model.predict(itemFor("mlp-tiny", 1));
      found.push(Array.from(y?.data ?? [], Number).join());
      await model.dispose();
    }
    return found;
  }, TINY);
  expect(outputs).toHaveLength(6);
  expect(new Set(outputs).size).toBe(1);
});

test("an address of a frame is accepted by every option that takes one", async ({ harness }) => {
  const failures = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf } = window.harness;
    const frame = document.body.appendChild(document.createElement("iframe"));
    const Url: unknown = Reflect.get(frame.contentWindow ?? {}, "URL");
    if (typeof Url !== "function") throw new Error("expected a frame with URL");
    const addressOf = (path: string): URL => Reflect.construct(Url, [path, location.href]);
    const remote = { url: addressOf("/no-such-server"), model: "m", mode: "none" };
    const options: object[] = [
      { workerUrl: addressOf("/no-such-worker.js") },
      { wasmPaths: addressOf("/no-such-folder/") },
      { remote },
    ];
    return Promise.all(
      options.map((own) => failureOf(createBatchedModel(url, { executionProviders: ["wasm"], ...own }))),
    );
  }, TINY);
  expect(failures.map((failure) => failure?.code)).toEqual([
    "WORKER_LOAD_FAILED",
    "RUNTIME_LOAD_FAILED",
    "INVALID_OPTION",
  ]);
  // The options are checked one by one, so that the address has passed.
  expect(failures[2]?.message).toMatch(/^remote\.mode: /);
});

test("progress never decreases, and ends with ready", async ({ harness }) => {
  const seen = await harness.evaluate(async (url) => {
    const progress: { phase: string; loadedBytes: number; totalBytes: number | null }[] = [];
    await window.harness.createBatchedModel(url, {
      executionProviders: ["wasm"],
      onProgress: (step) => progress.push({ ...step }),
    });
    return progress;
  }, MODEL_PATHS["mlp-784"]);
  const order = ["download", "cache", "runtime", "compile", "warmup", "ready"];
  const phases = seen.map(({ phase }) => order.indexOf(phase));
  const bytes = seen.map(({ loadedBytes }) => loadedBytes);
  expect(phases).toEqual(phases.toSorted((a, b) => a - b));
  expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
  expect(seen.at(0)?.phase).toBe("download");
  expect(seen.at(-1)?.phase).toBe("ready");
  expect(seen.at(-1)?.totalBytes).toBe(bytes.at(-1));
});

test(
  "the progress shows ONNX Runtime while it arrives after the model",
  { tag: LONG },
  async ({ harness, context }) => {
    let letGo: () => void = () => undefined;
    const mayArrive = new Promise<void>((resolve) => (letGo = resolve));
    await context.route("**/*.wasm", (route) => mayArrive.then(() => route.continue()));
    const loading = harness.evaluate(async (url) => {
      const steps: LoadProgress[] = [];
      Object.assign(globalThis, { recorded: steps });
      const onProgress = (step: LoadProgress) => steps.push({ ...step });
      await (await window.harness.createBatchedModel(url, { executionProviders: ["wasm"], onProgress })).dispose();
      return steps;
    }, TINY);
    await expect
      .poll(() => harness.evaluate(() => ("recorded" in globalThis ? recorded.at(-1)?.phase : null)))
      .toBe("runtime");
    letGo();
    const progress = await loading;
    const arriving = progress.filter(({ phase }) => phase === "runtime");
    const bytes = arriving.map(({ runtime }) => runtime?.loadedBytes ?? Number.NaN);
    expect(bytes[0]).toBe(0);
    expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
    expect(bytes.at(-1)).toBeGreaterThan(0);
    expect(new Set(arriving.map(({ loadedBytes }) => loadedBytes))).toEqual(new Set([progress.at(-1)?.totalBytes]));
    expect(progress.filter(({ phase }) => phase !== "runtime").some(({ runtime }) => runtime !== undefined)).toBe(
      false,
    );
  },
);

test("ONNX Runtime starts while the model downloads", async ({ harness, context }) => {
  let tellAsked: () => void = () => undefined;
  const runtimeAsked = new Promise<void>((resolve) => (tellAsked = resolve));
  await context.route("**/*.wasm", (route) => {
    tellAsked();
    return route.continue();
  });
  // The model arrives only after ONNX Runtime is requested: a load that waited for the model first would never end.
  await context.route(`**${TINY}`, (route) => runtimeAsked.then(() => route.continue()));
  expect(await sizeOfAnswer(harness)).toBe(10);
});

test(
  "ONNX Runtime's WebAssembly arrives while its script is on its way",
  { tag: LONG },
  async ({ harness, context, home }) => {
    const arrived = () => home.answered.filter(({ path }) => path.endsWith(".wasm")).length;
    const before = arrived();
    // The script comes after the WebAssembly: a worker that ran the script to request it would wait forever.
    await context.route(/framebatch\.ort\.wasm[^/]*\.js$/, async (route) => {
      await expect.poll(arrived).toBe(before + 1);
      return route.continue();
    });
    expect(await sizeOfAnswer(harness)).toBe(10);
    expect(arrived()).toBe(before + 1);
  },
);

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

test("a missing worker script, or a web page in its place, rejects with WORKER_LOAD_FAILED", async ({ harness }) => {
  const codes = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf } = window.harness;
    const attempts = ["/no-such-worker.js", "/faults/page.onnx"].map((workerUrl) =>
      failureOf(createBatchedModel(url, { executionProviders: ["wasm"], workerUrl })),
    );
    return (await Promise.all(attempts)).map((failure) => failure?.code);
  }, TINY);
  expect(codes).toEqual(["WORKER_LOAD_FAILED", "WORKER_LOAD_FAILED"]);
});

test("missing files of ONNX Runtime reject with RUNTIME_LOAD_FAILED", async ({ harness }) => {
  const failure = await harness.evaluate(
    (url) =>
      window.harness.failureOf(
        window.harness.createBatchedModel(url, { executionProviders: ["wasm"], wasmPaths: "/no-such-folder/" }),
      ),
    TINY,
  );
  expect(failure?.code).toBe("RUNTIME_LOAD_FAILED");
});

test("an invalid option is rejected before anything is loaded", async ({ harness }) => {
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

/** Opens a model and returns the number of its outputs for an item. */
function sizeOfAnswer(harness: Page): Promise<number | undefined> {
  return harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    const { y } = await model.predict(window.harness.itemFor("mlp-tiny", 1));
    return y?.data.length;
  }, TINY);
}
