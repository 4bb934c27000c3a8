import type { Page } from "@playwright/test";
import type { Fault } from "../fixtures/faulty-engine.js";
import { expect, test } from "../support/test.js";

const TEXTS = ["The cat sat on the mat.", "a dog", "Soup and bread tomorrow", "The station is old and small!", "late"];

/** The names of ONNX Runtime's files in framebatch. */
const RUNTIME = /framebatch\.(ort|worker)|ort-wasm/;

test.beforeEach(async ({ page, home }) => {
  await page.goto(`${home.url}/served.html`);
  await page.waitForFunction(() => "served" in window);
});

test("a pipeline of transformers.js runs in batches, and answers as it does alone", async ({ page }) => {
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
  test(`a worker whose engine makes it ${fault} is replaced, and its run repeated`, async ({ page }) => {
    expect(await endsOf(page, fault, true)).toEqual({ ends: ["A", "B", "C", "AFTER"], hasRecovered: true });
  });

  test(`an item that makes every worker ${fault} fails alone`, async ({ page }) => {
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
