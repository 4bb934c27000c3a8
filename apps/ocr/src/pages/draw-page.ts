import { rotate, type RotatedBox } from "../boxes/geometry.js";
import { layOut, PAGE, type PlacedLine } from "./layout.js";
import type { PageStyle } from "./page-style.js";

/** A page whose text is known. */
export interface TestPage {
  readonly canvas: OffscreenCanvas;
  /** In reading order. */
  readonly lines: readonly TrueLine[];
}

export interface TrueLine {
  readonly text: string;
  /** In pixels of the page. The box is as high as the font's ascenders and descenders. */
  readonly box: RotatedBox;
}

const COLORS = {
  light: { paper: "#fbfaf6", ink: "#1b1b1d" },
  dark: { paper: "#16191d", ink: "#e4e6e8" },
} as const;
/** The part of the font's height above and below the baseline that letters use. */
const ASCENT = 0.78;
const DESCENT = 0.24;

/** Draws paragraphs as a page, as far as they fit. The same arguments give the same page on the same machine. */
export function drawPage(paragraphs: readonly string[], style: PageStyle): TestPage {
  const context = openPage();
  const { paper, ink } = COLORS[style.isDark ? "dark" : "light"];
  context.fillStyle = paper;
  context.fillRect(0, 0, PAGE.width, PAGE.height);
  context.font = `${style.font[0]} ${style.fontSize}px ${style.font[1]}`;
  const placed = layOut(paragraphs, style, (text) => context.measureText(text).width);
  context.translate(PAGE.width / 2, PAGE.height / 2);
  context.rotate(style.angle);
  context.translate(-PAGE.width / 2, -PAGE.height / 2);
  context.fillStyle = ink;
  for (const { text, x, baseline } of placed) context.fillText(text, x, baseline);
  const canvas = style.blur === 0 ? context.canvas : blurred(context.canvas, style.blur);
  return { canvas, lines: placed.map((line) => ({ text: line.text, box: boxOf(line, style) })) };
}

function openPage(): OffscreenCanvasRenderingContext2D {
  const context = new OffscreenCanvas(PAGE.width, PAGE.height).getContext("2d", { alpha: false });
  if (context === null) throw new Error("expected a 2D canvas, got none");
  return context;
}

function blurred(canvas: OffscreenCanvas, pixels: number): OffscreenCanvas {
  const context = openPage();
  context.filter = `blur(${pixels}px)`;
  context.drawImage(canvas, 0, 0);
  return context.canvas;
}

function boxOf({ x, baseline, width }: PlacedLine, { fontSize, angle }: PageStyle): RotatedBox {
  const middle = baseline + ((DESCENT - ASCENT) / 2) * fontSize;
  const fromCenter = rotate({ x: x + width / 2 - PAGE.width / 2, y: middle - PAGE.height / 2 }, angle);
  const center = { x: fromCenter.x + PAGE.width / 2, y: fromCenter.y + PAGE.height / 2 };
  return { center, width, height: (ASCENT + DESCENT) * fontSize, angle };
}
