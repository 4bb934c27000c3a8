import { expect, LONG, test } from "../support/test.js";

test.beforeEach(async ({ page, home }) => {
  await page.goto(`${home.url}/ocr.html`);
  await page.waitForFunction(() => "ocrParts" in window);
});

test("a line is cut out upright, at the recognizer's height, and padded with gray", async ({ page }) => {
  const cuts = await page.evaluate(() =>
    [0, 0.05, -0.5, Math.PI / 2].map((angle) => {
      const box = { center: { x: 150, y: 140 }, width: 200, height: 24, angle };
      const source = new OffscreenCanvas(300, 280);
      const context = source.getContext("2d");
      context?.translate(box.center.x, box.center.y);
      context?.rotate(angle);
      // From left to right: red, green, blue. A pixel more on all sides, so that the edges are not mixed.
      ["#ff0000", "#00ff00", "#0000ff"].forEach((color, third) => {
        context?.beginPath();
        if (context) context.fillStyle = color;
        context?.fillRect(-101 + (third * 202) / 3, -13, 202 / 3, 26);
      });
      const line = window.ocrParts.cutLine(source, box);
      const pixels = line.getContext("2d")?.getImageData(0, 0, line.width, line.height).data ?? [];
      const at = (x: number, y: number) => [0, 1, 2].map((channel) => pixels[4 * (y * line.width + x) + channel]);
      const spots = [60, 200, 340, 420].map((x) => [4, 24, 43].map((y) => at(x, y).join(" ")));
      return { width: line.width, height: line.height, spots };
    }),
  );
  const spots = ["255 0 0", "0 255 0", "0 0 255", "128 128 128"].map((color) => [color, color, color]);
  for (const cut of cuts) expect(cut).toEqual({ width: 448, height: 48, spots });
});

test("a test page is the same each time, and its lines are where it says", async ({ page }) => {
  const found = await page.evaluate(() => {
    const { drawPage, pageStyle, cutLine } = window.ocrParts;
    const text = Array.from({ length: 40 }, (_, index) => `Everyone has the right to number ${index}`);
    return [0, 5].map((index) => {
      const draw = () => drawPage(text, { ...pageStyle(index), blur: 0 });
      const [first, second] = [draw(), draw()];
      const bytes = (canvas: OffscreenCanvas) =>
        canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data.join() ?? "";
      // The ink of a line: the share of its pixels that differ clearly from the paper.
      const inks = first.lines.map(({ box }) => {
        const line = cutLine(first.canvas, box);
        const width = Math.round((box.width * 48) / box.height);
        const pixels = line.getContext("2d")?.getImageData(0, 0, width, 48).data ?? new Uint8ClampedArray();
        const isDark = pageStyle(index).isDark;
        return pixels.filter((value, at) => at % 4 === 0 && (isDark ? value > 128 : value < 128)).length / (width * 48);
      });
      return { same: bytes(first.canvas) === bytes(second.canvas), lines: inks.length, least: Math.min(...inks) };
    });
  });
  for (const { same, lines, least } of found) {
    expect(same).toBe(true);
    expect(lines).toBeGreaterThan(10);
    expect(least).toBeGreaterThan(0.08);
  }
});

test("tilted lines are found, read and ordered, also upside down", { tag: LONG }, async ({ page }) => {
  const pages = await page.evaluate(async () => {
    const reader = await window.ocrParts.openSessions();
    const read = async (turn: number) => {
      const canvas = new OffscreenCanvas(416, 160);
      const context = canvas.getContext("2d", { alpha: false });
      if (context === null) throw new Error("expected a 2D canvas");
      context.fillStyle = "white";
      context.fillRect(0, 0, 416, 160);
      context.translate(208, 80);
      context.rotate(0.04 + turn);
      context.fillStyle = "black";
      context.font = "28px sans-serif";
      context.fillText("All human beings are", -160, -20);
      context.fillText("born free and equal.", -160, 40);
      const { lines } = await window.ocrParts.readPage(canvas, reader, 960);
      return lines.map(({ text, confidence, box }) => ({ text, confidence, tilt: box.angle - turn }));
    };
    return [await read(0), await read(Math.PI)];
  });
  for (const lines of pages) {
    expect(lines.map(({ text }) => text)).toEqual(["All human beings are", "born free and equal."]);
    for (const { confidence, tilt } of lines) {
      expect(confidence).toBeGreaterThan(0.9);
      expect(Math.abs(tilt - 0.04)).toBeLessThan(0.02);
    }
  }
});
