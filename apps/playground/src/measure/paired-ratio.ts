/** A ratio, with its 95 % confidence interval. */
export interface Ratio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Quantiles of Student's t distribution at 97.5 %, from 1 degree of freedom. */
const STUDENT_T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365];
const NORMAL = 2.31;

/** Minimum of a figure. Lower ones are raised to it, so that ratios are finite. */
const MIN_FIGURE = 1e-3;

/**
 * Computes the ratio of figures that were measured in adjacent pairs. It uses logarithms, so that a factor of 2 and a
 * factor of 1/2 have equal weight. Both figures of a pair share the current disturbances of the device, so their ratio
 * varies less than the figures. The ratio equals that of the geometric means.
 */
export function pairedRatio(figures: readonly number[], baseFigures: readonly number[]): Ratio {
  const logs = figures.map((figure, pair) => logarithm(figure) - logarithm(baseFigures[pair] ?? 0));
  const mean = meanOf(logs);
  const reach = logs.length < 2 ? Infinity : studentT(logs.length - 1) * standardError(logs, mean);
  return { value: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}

export function geometricMean(figures: readonly number[]): number {
  return Math.exp(meanOf(figures.map(logarithm)));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function standardError(values: readonly number[], mean: number): number {
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}

function studentT(degrees: number): number {
  return STUDENT_T[degrees - 1] ?? NORMAL;
}

function logarithm(figure: number): number {
  return Math.log(Math.max(MIN_FIGURE, figure));
}
