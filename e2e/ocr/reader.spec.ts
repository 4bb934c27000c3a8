import { expect, LONG, test } from "../support/test.js";

const LINES = ["All human beings are born", "free and equal", "in dignity and rights.", "(Article 1)"];

test.beforeEach(async ({ page, home }) => {
  await page.goto(`${home.url}/ocr.html`);
  await page.waitForFunction(() => "ocrParts" in window);
});

test("pages are read in order, and an abort takes everything back", { tag: LONG }, async ({ page }) => {
  const result = await page.evaluate(async (lines) => {
    const { characterErrors, drawLines, openReader } = window.ocrParts;
    const reader = await openReader({ executionProviders: ["wasm"], verify: { budgetMs: 600_000 } });
    const events: (string | number)[] = [];
    const first = {
      page: drawLines(lines),
      onFound: (boxes: readonly unknown[]) => events.push(`${boxes.length} boxes`),
      onRead: (_: unknown, index: number) => events.push(index),
    };
    const read: string[] = [];
    for await (const texts of reader.pages.runStream([first, { page: drawLines(lines.slice(1, 3)) }])) {
      read.push(texts.map(({ text }) => text).join("\n"));
    }
    const stopping = new AbortController();
    const stopped = reader.pages.run(
      { page: drawLines(lines), onFound: () => setTimeout(() => stopping.abort("enough")) },
      { signal: stopping.signal },
    );
    const outcome = await stopped.catch((error: unknown) => error);
    const { queued } = reader.recognizer.stats().requests;
    // The batch that runs at the abort is the last one.
    while (reader.recognizer.stats().batches.inFlight > 0) {
      await new Promise<void>((resolve) =>
        reader.recognizer.addEventListener("batch", () => resolve(), { once: true }),
      );
    }
    const { stages, runs } = reader.pages.stats();
    await reader.dispose();
    const { errors, length } = characterErrors(read.join("\n"), [...lines, ...lines.slice(1, 3)].join("\n"));
    return {
      rate: errors / length,
      read,
      events,
      outcome,
      queued,
      inFlight: stages.map((step) => step.inFlight),
      runs,
    };
  }, LINES);
  expect(result.rate).toBeLessThan(0.02);
  expect(result).toMatchObject({ outcome: "enough", queued: 0, inFlight: [0, 0, 0, 0] });
  expect(result.runs).toMatchObject({ accepted: 3, completed: 2, aborted: 1, inFlight: 0 });
  expect(result.events[0]).toBe("4 boxes");
  expect(new Set(result.events.slice(1))).toEqual(new Set([0, 1, 2, 3]));
});
