import { readdir } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import type { Fault } from "../fixtures/faulty-engine.js";
import { expect, LONG, test } from "../support/test.js";

const TEXTS = ["The cat sat on the mat.", "a dog", "Soup and bread tomorrow", "The station is old and small!", "late"];

/** The names of ONNX Runtime's files in framebatch. */
const RUNTIME = /framebatch\.(ort|worker)|ort-wasm/;

test.beforeEach(async ({ page, home }) => {
  await page.goto(`${home.url}/served.html`);
  await page.waitForFunction(() => "served" in window);
});

test("a pipeline of transformers.js runs in batches, and answers as it does alone", { tag: LONG }, async ({ page }) => {
  const { alone, many, facts } = await page.evaluate(async (texts) => {
    const phases: string[] = [];
    let loaded = 0;
    const embed = await window.served.openEmbed({
      samples: texts.slice(0, 3),
      verify: { tolerance: 0.001 },
      allowedBatchSizes: [5],
      onProgress({ phase, loadedBytes, totalBytes }) {
        if (phases.at(-1) !== phase) phases.push(phase);
        if (phase === "download" && loadedBytes === totalBytes) loaded = Math.max(loaded, loadedBytes);
      },
    });
    const oneByOne: number[][] = [];
    for (const text of texts) oneByOne.push(await embed.predict(text));
    embed.resetStats();
    const together = await embed.predictMany(texts);
    const { batchSize, batchCheck } = embed.stats();
    await embed.dispose();
    const size = batchSize.max;
    return {
      alone: oneByOne,
      many: together,
      facts: { size, check: batchCheck.outcome, phases, isReported: loaded > 1e6 },
    };
  }, TEXTS);
  const phases = ["download", "warmup", "ready"];
  expect(facts).toEqual({ size: TEXTS.length, check: "passed", phases, isReported: true });
  expect(new Set(many.map((vector) => vector.map((number) => number.toFixed(3)).join())).size).toBe(TEXTS.length);
  for (const [text, vector] of many.entries()) {
    expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    for (const [place, number] of vector.entries()) expect(number).toBeCloseTo(alone[text]![place]!, 4);
  }
});

test(
  "pipelines of transformers.js for pictures and sounds run in batches, and give each caller its answer",
  { tag: LONG },
  async ({ page }) => {
    const answers = await page.evaluate(async () => {
      const together = { allowedBatchSizes: [6], batching: { release: "window" }, maxQueueDelayMs: 600_000 } as const;
      const colours = await window.served.openColours(together);
      const fills = ["#f20", "#0e1", "#22f", "#2f2", "#d00", "#10c"];
      const seen = await Promise.all(fills.map(async (fill) => colours.predictDetailed(await picture(fill))));
      await colours.dispose();
      const loudness = await window.served.openLoudness(together);
      const heard = await Promise.all(
        [0.9, 0.1, 0.01, 0.8, 0, 1].map((level) => loudness.predictDetailed(tone(level))),
      );
      await loudness.dispose();
      const inOrder = (all: readonly { outputs: string; batch: { size: number } | null }[]) => ({
        labels: all.map(({ outputs }) => outputs),
        sizes: [...new Set(all.map(({ batch }) => batch?.size))],
      });
      return { seen: inOrder(seen), heard: inOrder(heard) };

      function picture(fill: string) {
        const canvas = new OffscreenCanvas(40, 24);
        const pen = canvas.getContext("2d")!;
        pen.fillStyle = fill;
        pen.fillRect(0, 0, 40, 24);
        return canvas.convertToBlob();
      }

      /** A tenth of a second at 16 kHz. */
      function tone(level: number) {
        return Float32Array.from({ length: 1600 }, (_, at) => level * Math.sin(at / 5));
      }
    });
    expect(answers.seen).toEqual({ labels: ["red", "green", "blue", "green", "red", "blue"], sizes: [6] });
    expect(answers.heard).toEqual({ labels: ["loud", "quiet", "quiet", "loud", "quiet", "loud"], sizes: [6] });
  },
);

test("an engine of its own fetches nothing of ONNX Runtime, and little else", async ({ page, home }) => {
  const before = home.answered.length;
  const answer = await page.evaluate(async () => {
    const engine = await window.served.openFaulty();
    const result = await engine.predict({ text: "quiet", fault: "none" });
    await engine.dispose();
    return result;
  });
  const fetched = home.answered.slice(before);
  expect(answer).toBe("QUIET");
  expect(fetched.filter(({ path }) => RUNTIME.test(path))).toEqual([]);
  expect(fetched.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(700_000);
});

/** Sends three items, of which the second has a fault, and one more when they have ended. */
async function endsOf(page: Page, fault: Fault, once: boolean) {
  return page.evaluate(
    async (asked) => {
      const states: string[] = [];
      const engine = await window.served.openFaulty({
        runTimeoutMs: 1000,
        batching: { release: "window" },
        maxBatchSize: 3,
        maxQueueDelayMs: 600_000,
      });
      engine.addEventListener("statechange", ({ detail }) => states.push(detail.state));
      const none = { fault: "none" } as const;
      const items = [
        { text: "a", ...none },
        { text: "b", ...asked },
        { text: "c", ...none },
      ];
      const ends = await Promise.all(
        items.map((item) => engine.predict(item).catch(({ code }: { code: string }) => code)),
      );
      const after = engine.predict({ text: "after", ...none });
      engine.flush();
      ends.push(await after);
      await engine.dispose();
      return { ends, hasRecovered: states.includes("recovering") };
    },
    { fault, once },
  );
}

for (const [fault, code] of [
  ["throw", "HANDLER_FAILED"],
  ["wrong length", "INFERENCE_FAILED"],
] as const) {
  test(`an engine that fails for an item (${fault}) answers the others`, async ({ page }) => {
    expect(await endsOf(page, fault, false)).toEqual({ ends: ["A", code, "C", "AFTER"], hasRecovered: false });
  });
}

for (const fault of ["die", "hang"] as const) {
  // Tagged @long: the simulation of the whole system does this with every fault.
  test(`a worker whose engine makes it ${fault} is replaced, and its run repeated`, { tag: LONG }, async ({ page }) => {
    expect(await endsOf(page, fault, true)).toEqual({ ends: ["A", "B", "C", "AFTER"], hasRecovered: true });
  });

  test(`an item that makes every worker ${fault} fails alone`, { tag: LONG }, async ({ page }) => {
    const { ends } = await endsOf(page, fault, false);
    expect(ends).toEqual(["A", expect.stringMatching(/^WORKER_(CRASHED|HUNG)$/), "C", "AFTER"]);
  });
}

const KINDS = [
  { kind: "classic", file: "framebatch.global.js" },
  { kind: "module", file: "framebatch.js" },
] as const;

/** The global variable that the script tag of a plain page sets. */
declare const framebatch: typeof import("framebatch");

for (const { kind, file } of KINDS) {
  test(`a page and a worker without a bundler run an engine (${kind} scripts)`, async ({ page, home }) => {
    await page.goto(`${home.url}/plain-page?kind=${kind}&script=${encodeURIComponent(`${home.url}/sdk/${file}`)}`);
    await page.waitForFunction(() => "framebatch" in globalThis);
    const before = home.answered.length;
    const results = await page.evaluate(
      async ({ sdk, type }) => {
        const start = type === "module" ? `import "${sdk}";` : `importScripts("${sdk}");`;
        const text = `${start} framebatch.serve({ run: (texts) => texts.map((text) => text.length) });`;
        const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        const engine = await framebatch.createBatchedWorker<string, number>(() => new Worker(url, { type }));
        const answers = await engine.predictMany(["a", "bcd"]);
        await engine.dispose();
        return answers;
      },
      { sdk: `${home.url}/sdk/framebatch.worker.js`, type: kind },
    );
    expect(results).toEqual([1, 3]);
    expect(home.answered.slice(before).map(({ path }) => path)).toEqual(["/sdk/framebatch.worker.js"]);
  });
}

test(
  "an item that two calls share has its result although the first of them leaves while it waits in the worker",
  { tag: LONG },
  async ({ page, home }) => {
    await page.goto(
      `${home.url}/plain-page?kind=classic&script=${encodeURIComponent(`${home.url}/sdk/framebatch.global.js`)}`,
    );
    await page.waitForFunction(() => "framebatch" in globalThis);
    const results = await page.evaluate(async (sdk) => {
      const text = `importScripts("${sdk}");
      const told = new Promise((resolve) => (new BroadcastChannel("go on").onmessage = resolve));
      framebatch.serve({
        async run(texts) {
          if (texts.includes("b")) await told;
          return texts.map((text) => text.toUpperCase());
        },
      });`;
      const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const options = { dedupe: true };
      const engine = await framebatch.createBatchedWorker<string, string>(() => new Worker(url), options);
      const leaving = new AbortController();
      const first = engine.predict("a");
      await hasSentAll();
      const second = engine.predict("b");
      await hasSentAll();
      const left = engine.predict("shared", { signal: leaving.signal }).catch(({ name }: Error) => name);
      const stayed = engine.predict("shared");
      await first;
      await hasSentAll();
      leaving.abort();
      new BroadcastChannel("go on").postMessage(null);
      const answers = [await left, await stayed, await second];
      await engine.dispose();
      return answers;

      async function hasSentAll() {
        while (engine.stats().requests.queued > 0) await new Promise((resolve) => setTimeout(resolve));
      }
    }, `${home.url}/sdk/framebatch.worker.js`);
    expect(results).toEqual(["AbortError", "SHARED", "B"]);
  },
);

test("a pipeline of transformers.js runs in a worker without a bundler", async ({ page, home }) => {
  const library = await oneFile("@huggingface/transformers");
  await page.goto(`${home.url}/plain-page?kind=module&script=${encodeURIComponent(`${home.url}/sdk/framebatch.js`)}`);
  await page.waitForFunction(() => "framebatch" in globalThis);
  const { vectors, size } = await page.evaluate(
    async ({ code, site, wasm, texts }) => {
      const addressOf = (text: string) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const worker = addressOf(`
        import "${site}/sdk/framebatch.worker.js";
        import { env, pipeline } from "${addressOf(code)}";
        env.useBrowserCache = env.useWasmCache = env.allowLocalModels = false;
        env.remoteHost = "${site}";
        env.remotePathTemplate = "models/{model}";
        env.backends.onnx.wasm.wasmPaths = { wasm: "${wasm}" };
        env.backends.onnx.wasm.numThreads = 1;
        let extract;
        framebatch.serve({
          load: async () => {
            extract = await pipeline("feature-extraction", "bert-tiny", { device: "wasm", dtype: "fp32" });
          },
          run: async (texts) => (await extract([...texts], { pooling: "mean", normalize: true })).tolist(),
        });`);
      const embed = await framebatch.createBatchedWorker<string, number[]>(
        () => new Worker(worker, { type: "module" }),
        {
          allowedBatchSizes: [texts.length],
        },
      );
      const answers = await embed.predictMany(texts);
      const { max } = embed.stats().batchSize;
      await embed.dispose();
      return { vectors: answers, size: max };
    },
    { code: library, site: home.url, wasm: `${home.url}/assets/${await runtimeFile()}`, texts: TEXTS },
  );
  expect(size).toBe(TEXTS.length);
  expect(vectors.map((vector) => Math.hypot(...vector).toFixed(3))).toEqual(TEXTS.map(() => "1.000"));
  expect(new Set(vectors.map(String)).size).toBe(TEXTS.length);
});

/** Returns a library with what it imports, as a CDN for modules serves it. */
async function oneFile(name: string): Promise<string> {
  const options = { bundle: true, write: false, format: "esm", platform: "browser", logLevel: "error" } as const;
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: `export * from "${name}"`, resolveDir: import.meta.dirname },
  });
  return outputFiles.map(({ text }) => text).join("");
}

/** Returns the name of ONNX Runtime's file for transformers.js, as Vite has named it. */
async function runtimeFile(): Promise<string> {
  const files = await readdir(new URL("../dist/site/assets", import.meta.url));
  return files.find((file) => /^ort-wasm-simd-threaded\.asyncify-.*\.wasm$/.test(file)) ?? "missing";
}
