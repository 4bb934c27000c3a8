import type { Page } from "@playwright/test";
import { openPlayground } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

/** Ten times the duration on an idle machine. */
const DRAW_LIMIT_MS = 20;
const DRAWINGS = 24;
const MAX_BATCH = 4;

/** The durations of the page's own drawing, in milliseconds. */
declare const drawn: number[];

/** Returns the figures that the page shows, and the `stats()` behind them, read in one task. */
function shownAndRaw(page: Page) {
  return page.evaluate(() => {
    const text = (id: string): string => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "";
    const figure = (id: string): number => {
      const shown = text(`figure-${id}`);
      return Number.parseFloat(shown.replaceAll(",", "")) * (/\d\ss$/.test(shown) ? 1000 : 1);
    };
    return {
      p50: figure("p50"),
      p95: figure("p95"),
      p99: figure("p99"),
      busy: figure("busy"),
      stats: JSON.parse(text("raw-stats")),
    };
  });
}

test(
  "the instruments show stats() and the members of each batch, and take little time",
  { tag: LONG },
  async ({ page, playground }) => {
    await page.addInitScript(() => {
      const durations: number[] = [];
      Object.assign(globalThis, { drawn: durations });
      new PerformanceObserver((list) => {
        for (const { name, duration } of list.getEntries()) if (name === "playground draw") durations.push(duration);
      }).observe({ type: "measure" });
    });
    await openPlayground(page, playground.url, `?tiles=16&maxbatch=${MAX_BATCH}`);
    await expect(page.getByTestId("figure-throughput")).not.toHaveText("–");
    await test.step("the figures equal those of stats()", async () => {
      const { stats, p50, p95, p99, busy } = await shownAndRaw(page);
      const shown = (ms: number): number => {
        if (ms >= 1000) return Number((ms / 1000).toPrecision(2)) * 1000;
        return ms >= 100 ? Math.round(ms) : Number(ms.toPrecision(3));
      };
      expect([p50, p95, p99]).toEqual([stats.totalMs.p50, stats.totalMs.p95, stats.totalMs.p99].map(shown));
      expect(busy).toBeCloseTo(100 * stats.busyShare, -0.5);
      const { accepted, completed, failed, aborted, timedOut, superseded, shed, disposed, queued, inFlight } =
        stats.requests;
      expect(completed + failed + aborted + timedOut + superseded + shed + disposed + queued + inFlight).toBe(accepted);
      const reasons = await page.locator(".reason-count").allTextContents();
      const counted = reasons.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
      expect(counted).toBeGreaterThanOrEqual(stats.batches.count);
    });
    await test.step("no batch exceeds the max batch size", async () => {
      const largest = async () => Number((await shownAndRaw(page)).stats.batchSize.max);
      // Each tile runs alone until the batch check has passed.
      await expect.poll(largest).toBeGreaterThan(1);
      expect(await largest()).toBeLessThanOrEqual(MAX_BATCH);
    });
    await test.step("the learned times are points, because nothing is known of the sizes in between", async () => {
      await expect.poll(async () => (await inkedColumns(page)).points).toBeGreaterThan(1);
      const { covered, span } = await inkedColumns(page);
      expect(covered / span).toBeLessThan(0.5);
    });
    await test.step("the throughput equals the count of stats() in the same time", async () => {
      // On a busy machine, the page may pause between two samples.
      await expect(async () => {
        const { shown, counted } = await throughputs(page);
        expect(shown / counted).toBeGreaterThan(0.8);
        expect(shown / counted).toBeLessThan(1.25);
      }).toPass();
    });
    await test.step("the timeline describes the members of a batch and the reason of its dispatch, by keyboard", async () => {
      const words = page.getByTestId("timeline-words");
      await page.getByTestId("timeline").focus();
      await page.keyboard.press("Home");
      await expect(words).toContainText(/^A batch of .+: .*It was dispatched because .+\. Its answer came .+ later\.$/);
      const first = await words.textContent();
      // Two batches in a row may have the same description.
      await expect(async () => {
        await page.keyboard.press("ArrowRight");
        expect(await words.textContent()).not.toBe(first);
      }).toPass();
      await page.keyboard.press("End");
      await expect(words).toContainText(/tile \d+|drawing/);
      await page.keyboard.press("Escape");
      await expect(words).toContainText("Point at a batch");
    });
    await test.step("it shows the same description for the pointer", async () => {
      await page.getByTestId("timeline").hover();
      await expect(page.getByTestId("timeline-words")).toContainText("It was dispatched because");
    });
    await test.step("drawing is fast and infrequent", async () => {
      const { durations, elapsedMs } = await page.evaluate(async (count) => {
        drawn.length = 0;
        const start = performance.now();
        while (drawn.length < count) await new Promise((resolve) => requestAnimationFrame(resolve));
        return { durations: drawn.toSorted((a, b) => a - b), elapsedMs: performance.now() - start };
      }, DRAWINGS);
      // Checks the shortest duration, because other work on the machine lengthens the others.
      expect(durations[0]).toBeLessThan(DRAW_LIMIT_MS);
      // The timeline is drawn about 12 times a second, and two charts twice a second.
      expect((1000 * durations.length) / elapsedMs).toBeLessThan(20);
    });
  },
);

/** Returns how many columns between the first and the last mark of the chart of costs have a mark, and the marks' number. */
function inkedColumns(page: Page) {
  return page
    .locator("figure.chart", { hasText: "Learned time per item" })
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      const area = canvas.parentElement?.querySelector(".u-over")?.getBoundingClientRect() ?? new DOMRect();
      const { left, top, width } = canvas.getBoundingClientRect();
      const scale = canvas.width / width;
      const pixels = (size: number): number => Math.round(size * scale);
      const [columns, rows] = [pixels(area.width), pixels(area.height)];
      const context = canvas.getContext("2d");
      const image = context?.getImageData(pixels(area.left - left), pixels(area.top - top), columns, rows);
      const data = image?.data ?? new Uint8ClampedArray();
      const colours = Array.from({ length: columns * rows }, (_, at) =>
        [...data.subarray(4 * at, 4 * at + 4)].join(" "),
      );
      const opaque = colours.filter((colour) => !colour.endsWith(" 0"));
      const counts = new Map<string, number>();
      for (const colour of opaque) counts.set(colour, (counts.get(colour) ?? 0) + 1);
      // The lines of the grid cross the whole chart.
      const [[grid] = [""]] = [...counts].toSorted(([, one], [, other]) => other - one);
      const isInked = (column: number): boolean =>
        Array.from({ length: rows }, (_, row) => colours[row * columns + column] ?? "").some(
          (colour) => !colour.endsWith(" 0") && colour !== grid,
        );
      const inked = Array.from({ length: columns }, (_, column) => column).filter((column) => isInked(column));
      const starts = inked.filter((column, at) => column !== (inked[at - 1] ?? -2) + 1);
      const [first = 0] = inked;
      return { points: starts.length, covered: inked.length, span: (inked.at(-1) ?? 0) - first + 1 };
    });
}

/** Returns the mean of the shown throughput over four refreshes, and the throughput from `stats()` in the same time. */
function throughputs(page: Page) {
  return page.evaluate(async () => {
    const text = (id: string): string => document.querySelector(`[data-testid="${id}"]`)?.textContent ?? "";
    const read = () => ({
      atMs: performance.now(),
      completed: Number(JSON.parse(text("raw-stats")).requests.completed),
      shown: Number(text("figure-throughput").replaceAll(",", "")),
    });
    const samples: ReturnType<typeof read>[] = [];
    await new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        samples.push(read());
        if (samples.length < 5) return;
        observer.disconnect();
        resolve();
      });
      const raw = document.querySelector("[data-testid='raw-stats']");
      if (raw !== null) observer.observe(raw, { characterData: true, childList: true, subtree: true });
    });
    const [first, last] = [samples[0], samples.at(-1)];
    if (first === undefined || last === undefined) return { shown: 0, counted: -1 };
    const mean = samples.slice(1).reduce((sum, sample) => sum + sample.shown, 0) / (samples.length - 1);
    return { shown: mean, counted: (1000 * (last.completed - first.completed)) / (last.atMs - first.atMs) };
  });
}

test(
  "the figures fit their columns on every screen, and each says what it means",
  { tag: LONG },
  async ({ page, playground }) => {
    await openPlayground(page, playground.url, "?tiles=4&moving=off");
    await expect(page.locator(".figure-grid dt:not([title])")).toHaveCount(0);
    for (const width of [1440, 1100, 820, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(widestFigures), `${width} px`).toEqual([]);
    }
    await page.setViewportSize({ width: 1100, height: 900 });
  },
);

/** Gives every figure a long text, and returns those that stick out of the page or into another figure. */
function widestFigures(): string[] {
  const figures = [...document.querySelectorAll<HTMLElement>(".figures .figure, .figure-grid .figure")];
  const places = figures.map((figure) => {
    const text = figure.querySelector("dd") ?? figure;
    text.textContent = /latency/i.test(figure.textContent) ? "0.519\u00A0ms" : "12,300";
    const range = document.createRange();
    range.selectNodeContents(text);
    return { name: figure.textContent, box: range.getBoundingClientRect() };
  });
  const meets = (one: DOMRect, other: DOMRect): boolean =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  return places
    .filter(
      ({ box }, at) => box.right > innerWidth || places.some((other, index) => index !== at && meets(box, other.box)),
    )
    .map(({ name }) => name);
}

test("the page shows content before the model is loaded", async ({ page, playground }) => {
  await page.route("**/*.onnx", () => {});
  await page.goto(`${playground.url}/?scene=digits`);
  await expect(page.getByTestId("pad")).toBeVisible();
  await expect(page.getByTestId("backend")).toContainText("No backend yet");
  expect(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length)).toBe(1);
});
