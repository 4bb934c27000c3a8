/** An axis of logarithms: its limits, its length and the least distance of two ticks, both in px. */
export interface LogAxis {
  readonly low: number;
  readonly high: number;
  readonly length: number;
  readonly gap: number;
}

/** Returns the decimal logarithms of round numbers as ticks: as many as keep the distance, and the powers of ten always. */
export function roundLogMarks({ low, high, length, gap }: LogAxis): number[] {
  const least = (gap / length) * (high - low);
  const candidates = [[1, 2, 5], [1, 3], [1]].map((steps) => logMultiples(steps, low, high));
  return candidates.find((marks) => nearest(marks) >= least) ?? candidates.at(-1) ?? [];
}

/** The least distance of two neighbours. */
function nearest(marks: readonly number[]): number {
  return Math.min(...marks.slice(1).map((mark, index) => mark - (marks[index] ?? 0)));
}

/** Returns the logarithms of the multiples of powers of ten between two limits. */
function logMultiples(steps: readonly number[], low: number, high: number): number[] {
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, index) => Math.floor(low) + index);
  return powers
    .flatMap((power) => steps.map((step) => power + Math.log10(step)))
    .filter((mark) => mark >= low && mark <= high);
}
