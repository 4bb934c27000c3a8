/** An axis of logarithms: its limits, its length and the least distance of two ticks, both in px. */
export interface LogAxis {
  readonly low: number;
  readonly high: number;
  readonly length: number;
  readonly gap: number;
}

/** Which multiples of a power of ten are ticks, from the finest to the coarsest. Axes of less than a decade need the first. */
const STEPS = [parts(10), parts(2), parts(1), [1, 2, 5], [1, 3], [1]];

/** Returns the decimal logarithms of round numbers as ticks: as many as keep the distance, and the powers of ten always. */
export function roundLogMarks({ low, high, length, gap }: LogAxis): number[] {
  const least = (gap / length) * (high - low);
  const candidates = STEPS.map((steps) => logMultiples(steps, low, high));
  return candidates.find((marks) => nearest(marks) >= least) ?? candidates.at(-1) ?? [];
}

/** The numbers from 1 to 10, without 10, in so many parts of one. */
function parts(ofOne: number): number[] {
  return Array.from({ length: 9 * ofOne }, (_, part) => 1 + part / ofOne);
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
