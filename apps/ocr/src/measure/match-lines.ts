import { rotate, type RotatedBox } from "../boxes/geometry.js";
import { characterErrors, type CharacterErrors } from "../text/error-rate.js";

interface Line {
  readonly text: string;
  readonly box: RotatedBox;
}

/**
 * Compares lines by their place instead of their order: each read line belongs to the true line whose box holds its
 * center, and the parts of one true line are joined from left to right. A read line outside all true lines counts as
 * errors.
 */
export function matchLines(
  truth: readonly Line[],
  read: readonly Line[],
): CharacterErrors & { readonly found: number } {
  const parts = new Map(truth.map((line) => [line, new Array<Line>()]));
  const strays: Line[] = [];
  for (const line of read) {
    const own = truth.find(({ box }) => isInside(line.box, box));
    (own === undefined ? strays : (parts.get(own) ?? strays)).push(line);
  }
  const counts = [...parts].map(([line, own]) => characterErrors(joined(own), line.text));
  const strayErrors = strays.reduce((sum, { text }) => sum + characterErrors(text, "").errors, 0);
  return {
    errors: counts.reduce((sum, { errors }) => sum + errors, strayErrors),
    length: counts.reduce((sum, { length }) => sum + length, 0),
    found: [...parts.values()].filter((own) => own.length > 0).length,
  };
}

function joined(lines: readonly Line[]): string {
  return lines
    .toSorted((a, b) => a.box.center.x - b.box.center.x)
    .map(({ text }) => text)
    .join(" ");
}

function isInside({ center }: RotatedBox, box: RotatedBox): boolean {
  const { x, y } = rotate({ x: center.x - box.center.x, y: center.y - box.center.y }, -box.angle);
  return Math.abs(x) <= box.width / 2 && Math.abs(y) <= box.height / 2;
}
