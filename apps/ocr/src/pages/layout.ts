import type { PageStyle } from "./page-style.js";

/** A line of text with the left end of its baseline, before the page is tilted. */
export interface PlacedLine {
  readonly text: string;
  readonly x: number;
  readonly baseline: number;
  readonly width: number;
}

export const PAGE = { width: 960, height: 1280 } as const;
/** Wide enough that a tilt of 3° keeps every line on the page. */
const MARGIN = 80;
const COLUMN_GAP = 56;
const LEADING = 1.45;

/**
 * Fills the columns of a page with paragraphs, in reading order. What does not fit is left out.
 * @param widthOf measures a text in the page's font, in pixels
 */
export function layOut(
  paragraphs: readonly string[],
  { columns, fontSize }: Pick<PageStyle, "columns" | "fontSize">,
  widthOf: (text: string) => number,
): PlacedLine[] {
  const width = (PAGE.width - 2 * MARGIN - (columns - 1) * COLUMN_GAP) / columns;
  const leading = fontSize * LEADING;
  const perColumn = Math.floor((PAGE.height - 2 * MARGIN) / leading);
  const texts = paragraphs.flatMap((paragraph) => [...wrap(paragraph, width, widthOf), ""]);
  return texts.slice(0, perColumn * columns).flatMap((text, index) => {
    if (text === "") return [];
    const x = MARGIN + Math.floor(index / perColumn) * (width + COLUMN_GAP);
    return [{ text, x, baseline: MARGIN + ((index % perColumn) + 1) * leading, width: widthOf(text) }];
  });
}

function wrap(paragraph: string, width: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of paragraph.split(" ")) {
    const extended = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && widthOf(extended) <= width) lines[lines.length - 1] = extended;
    else lines.push(word);
  }
  return lines;
}
