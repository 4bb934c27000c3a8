import { FramebatchError } from "./errors.js";
import { describeValue } from "./description.js";

/** Returns an `INVALID_OPTION` error with the message `option: expected …`. */
export function invalidOption(option: string, sentence: string): FramebatchError {
  return new FramebatchError("INVALID_OPTION", `${option}: expected ${sentence}`, { details: { option } });
}

/** Returns an `INVALID_OPTION` error with the message `option: expected X, got Y; fix`. */
export function optionError(option: string, expected: string, got: unknown, fix: string): FramebatchError {
  return invalidOption(option, `${expected}, got ${describeValue(got)}; ${fix}`);
}

/** Returns an `INVALID_OPTION` error for a name that is not in `known`, with the one that was probably meant. */
export function unknownNameError(
  option: string,
  expected: string,
  name: string,
  known: readonly string[],
): FramebatchError {
  return invalidOption(option, unknownName(expected, name, known));
}

/** Returns the message of that error, without the option. */
export function unknownName(expected: string, name: string, known: readonly string[]): string {
  const fix = fixForName(name, known, "name one of these, or remove it");
  return `${expected} (${quoteNames(known)}), got "${name}"; ${fix}`;
}

/**
 * Returns the known name that was probably meant, or `null` if none is close. Close names differ only in case or by one
 * or two typing errors.
 */
export function closestName(name: string, known: readonly string[]): string | null {
  let closest: string | null = null;
  let leastSlips = Math.min(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const slips = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (slips < leastSlips) [closest, leastSlips] = [candidate, slips];
  }
  return closest;
}

/** Returns the fix for a name that is not known: the one that was probably meant, or else what to do instead. */
export function fixForName(name: string, known: readonly string[], otherwise: string): string {
  const closest = closestName(name, known);
  return closest === null ? otherwise : `did you mean "${closest}"?`;
}

/** Formats names for error messages: `"image", "mask"`. */
export function quoteNames(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.map((name) => `"${name}"`).join(", ");
}

/**
 * Returns the number of letters to insert, remove or replace (Levenshtein distance). Swapping two neighbours also
 * counts as one.
 */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = distanceAt(last, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const best = Math.min(replaced, distanceAt(last, column) + 1, distanceAt(current, column - 1) + 1);
      current.push(swapped ? Math.min(best, distanceAt(beforeLast, column - 2) + 1) : best);
    }
    [beforeLast, last] = [last, current];
  }
  return distanceAt(last, to.length);
}

function distanceAt(values: readonly number[], index: number): number {
  return values[index] ?? Infinity;
}
