/**
 * Returns the decimal logarithms of round numbers between two limits as axis ticks: as many as possible, but at most
 * `most`.
 */
export function roundLogMarks(low: number, high: number, most: number): number[] {
  const candidates = [[1, 2, 5], [1, 3], [1]].map((steps) => logMultiples(steps, low, high));
  return candidates.find((marks) => marks.length <= most) ?? candidates.at(-1) ?? [];
}

/** Returns the logarithms of the multiples of powers of ten between two limits. */
function logMultiples(steps: readonly number[], low: number, high: number): number[] {
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, index) => Math.floor(low) + index);
  return powers
    .flatMap((power) => steps.map((step) => power + Math.log10(step)))
    .filter((mark) => mark >= low && mark <= high);
}
