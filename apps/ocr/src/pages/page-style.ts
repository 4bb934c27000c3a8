import { seededRandom } from "./random.js";

/** How a test page looks. */
export interface PageStyle {
  /** A CSS font without its size, of families that every system has. */
  readonly font: readonly [style: string, family: string];
  /** Height of the font, in pixels. */
  readonly fontSize: number;
  readonly columns: 1 | 2;
  readonly isDark: boolean;
  /** Tilt of the whole page in radians, clockwise. */
  readonly angle: number;
  /** Standard deviation of the blur, in pixels; 0 for none. */
  readonly blur: number;
}

const FONTS: readonly { readonly font: PageStyle["font"]; readonly fontSize: number }[] = [
  { font: ["", "sans-serif"], fontSize: 22 },
  { font: ["", "serif"], fontSize: 18 },
  { font: ["bold", "sans-serif"], fontSize: 20 },
  { font: ["italic", "serif"], fontSize: 26 },
  { font: ["", "monospace"], fontSize: 20 },
  { font: ["bold", "serif"], fontSize: 24 },
  { font: ["italic", "sans-serif"], fontSize: 18 },
  { font: ["bold", "monospace"], fontSize: 30 },
];
const MAX_TILT = (3 * Math.PI) / 180;
const MAX_BLUR = 0.8;

/**
 * Returns the style of the test page with this number. 16 pages have every font with one and two columns; every third
 * page is dark, and every second one is blurred.
 */
export function pageStyle(index: number): PageStyle {
  const random = seededRandom(index);
  const { font, fontSize } = FONTS[index % FONTS.length] ?? { font: ["", "sans-serif"], fontSize: 20 };
  return {
    font,
    fontSize,
    columns: (index + Math.floor(index / FONTS.length)) % 2 === 0 ? 1 : 2,
    isDark: index % 3 === 2,
    angle: (2 * random() - 1) * MAX_TILT,
    blur: index % 2 === 0 ? 0 : random() * MAX_BLUR,
  };
}
