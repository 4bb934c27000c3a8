import { expect, LONG, test } from "../support/test.js";
import { LeakMeter } from "../soak/kit/leak-meter.js";
import { leakSigns, type Checkpoint } from "../soak/kit/leak-trend.js";

declare global {
  interface Window {
    /** Measures the memory when that many pages were read. */
    checkpoint(read: number): Promise<void>;
  }
}

const PAGES = 200;
const PAGES_BETWEEN_CHECKPOINTS = 40;

/** One page that is kept has 295 kB of pixels, and one line 61 kB. */
const LIMITS = { bytesPerRequest: 5000, growthBytes: 1_000_000 };

test.beforeEach(async ({ page, home }) => {
  await page.goto(`${home.url}/ocr.html`);
  await page.waitForFunction(() => "ocrParts" in window);
});

test("a stream of 200 pages keeps their order and a flat memory", { tag: LONG }, async ({ page }) => {
  test.setTimeout(1_800_000);
  const meter = await LeakMeter.attach(page);
  const checkpoints: Checkpoint[] = [];
  await page.exposeFunction("checkpoint", async (read: number) => void checkpoints.push(await meter.read(read)));
  const texts = await page.evaluate(
    async ([pages, between]) => {
      const { drawLines, openReader } = window.ocrParts;
      const reader = await openReader({ executionProviders: ["wasm"] });
      const read: string[] = [];
      let onRead = () => {};
      /** Lets all pages end before each checkpoint, because open requests would count as kept. */
      const checkpointAt = async (sent: number) => {
        while (read.length < sent) await new Promise<void>((resolve) => (onRead = resolve));
        await window.checkpoint(sent);
      };
      async function* source() {
        for (let index = 0; index <= pages; index++) {
          if (index > 0 && index % between === 0) await checkpointAt(index);
          if (index < pages) yield { page: drawLines([`This is page ${index}`, "of two hundred"]) };
        }
      }
      for await (const lines of reader.pages.runStream(source())) {
        read.push(lines.map(({ text }) => text).join("\n"));
        onRead();
      }
      await reader.dispose();
      return read;
    },
    [PAGES, PAGES_BETWEEN_CHECKPOINTS] as const,
  );
  expect(texts).toEqual(Array.from({ length: PAGES }, (_, index) => `This is page ${index}\nof two hundred`));
  test.info().annotations.push({ type: "bytes", description: checkpoints.map(({ bytes }) => bytes).join(", ") });
  expect(leakSigns(checkpoints, LIMITS)).toEqual([]);
});

test("an abort in the middle of a stream takes everything back", { tag: LONG }, async ({ page }) => {
  const { left: remaining, ...ms } = await page.evaluate(async () => {
    const { drawLines, openReader } = window.ocrParts;
    const reader = await openReader({ executionProviders: ["wasm"] });
    const { detector, recognizer, pages } = reader;
    const models = [detector, recognizer];
    const stopping = new AbortController();
    let [pulled, read, isClosed] = [0, 0, false];
    function* endless() {
      try {
        for (;;) yield { page: drawLines([`This is page ${pulled++}`, "of all pages"]) };
      } finally {
        isClosed = true;
      }
    }
    let abortedAtMs = 0;
    const reading = async () => {
      for await (const _ of pages.runStream(endless(), { signal: stopping.signal })) {
        if (++read < 10) continue;
        abortedAtMs = performance.now();
        stopping.abort("enough");
      }
    };
    const outcome = await reading().catch((error: unknown) => error);
    const pulledAtEnd = pulled;
    const open = () => pages.stats().stages.reduce((sum, { inFlight }) => sum + inFlight, 0);
    const queued = () => models.reduce((sum, model) => sum + model.stats().requests.queued, 0);
    const left = { outcome, isClosed, open: open(), queued: queued() };
    const pageMs = performance.now() - abortedAtMs;
    // A batch that runs at the abort is the last one.
    for (const model of models) {
      while (model.stats().batches.inFlight > 0) {
        await new Promise((resolve) => model.addEventListener("batch", resolve, { once: true }));
      }
    }
    const workersMs = performance.now() - abortedAtMs;
    const isQuiet = pulled === pulledAtEnd;
    await reader.dispose();
    return { left: { ...left, isQuiet }, pageMs, workersMs };
  });
  expect(remaining).toEqual({ outcome: "enough", isClosed: true, open: 0, queued: 0, isQuiet: true });
  test.info().annotations.push({ type: "milliseconds after the abort", description: JSON.stringify(ms) });
});
