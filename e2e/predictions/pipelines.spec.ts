import { drawDigit, drawnDigits } from "@framebatch/models/drawn-digits";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";

/** Pages of four digits each, and their pictures: 28×28 numbers from 0 (paper) to 1 (ink). */
const PAGES = ["2047", "3615", "8912"].map((digits) => ({
  digits,
  pictures: digits.split("").map((digit) => {
    const drawn = drawnDigits.find((each) => each.digit === Number(digit));
    return Array.from(drawDigit(drawn?.strokes ?? [], { penWidth: 2 }));
  }),
}));

test("a pipeline cuts canvases into crops, reads them with a model in shared batches, and collects them", async ({
  harness,
  provider,
}) => {
  const { texts, streamed, stats, batches, failure } = await harness.evaluate(
    async ({ url, providers, pages }) => {
      const { createBatchedModel, createPipeline, failureOf } = window.harness;
      // The batch check must complete first: until then, crops run alone. A window ignores measured run times.
      const model = await createBatchedModel(url, {
        executionProviders: providers,
        verify: { budgetMs: 600_000 },
        batching: { release: "window" },
        maxQueueDelayMs: 600_000,
        maxBatchSize: 12,
      });
      const size = 28;
      const draw = ({ pictures }: (typeof pages)[number]) => {
        const context = new OffscreenCanvas(2 * size, 2 * size).getContext("2d", { willReadFrequently: true })!;
        for (const [index, picture] of pictures.entries()) {
          const pixels = Uint8ClampedArray.from(picture.flatMap((ink) => [255 * ink, 255 * ink, 255 * ink, 255]));
          context.putImageData(new ImageData(pixels, size), size * (index % 2), size * Math.floor(index / 2));
        }
        return context;
      };
      const pipeline = createPipeline<OffscreenCanvasRenderingContext2D>()
        .split(
          function* (page) {
            for (const y of [0, size]) for (const x of [0, size]) yield page.getImageData(x, y, size, size);
          },
          { name: "cut" },
        )
        .stage(({ data }) => ({ image: Float32Array.from({ length: size * size }, (_, i) => data[4 * i]! / 255) }))
        .stage(model, { name: "read" })
        .stage(({ logits }) => Array.from(logits!.data, Number))
        .collect((all) => all.map((logits) => logits.indexOf(Math.max(...logits))).join(""), { name: "merge" });
      const alone = await Promise.all(pages.map((page) => pipeline.run(draw(page))));
      const { batches: ran } = model.stats();
      const inOrder: string[] = [];
      const reading = (async () => {
        for await (const text of pipeline.runStream(pages.map(draw))) inOrder.push(text);
      })();
      // The stream lets 8 crops into the model at once, which is no full batch.
      const flushing = setInterval(() => model.flush(), 10);
      await reading;
      clearInterval(flushing);
      const counted = pipeline.stats();
      const open = failureOf(pipeline.run(draw(pages[0]!)));
      await pipeline.dispose();
      const disposed = await open;
      await model.dispose();
      return { texts: alone, streamed: inOrder, stats: counted, batches: ran, failure: disposed };
    },
    { url: MODEL_PATHS.digits, providers: [provider], pages: PAGES },
  );
  const right = PAGES.map(({ digits }) => digits);
  expect([texts, streamed]).toEqual([right, right]);
  // All 12 crops of the three runs shared one batch.
  expect(batches.count).toBe(1);
  expect(stats.runs).toMatchObject({ accepted: 6, completed: 6, inFlight: 0 });
  expect(stats.stages.map(({ name, completed }) => [name, completed])).toEqual([
    ["cut", 6],
    ["stage 1", 24],
    ["read", 24],
    ["stage 3", 24],
    ["merge", 6],
  ]);
  expect(failure?.code).toBe("DISPOSED");
});
