/** The ratio of two rates, with its 95 % confidence interval. */
export interface RateRatio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Quantiles of Student's t distribution at 97.5 %, from 1 degree of freedom. */
const STUDENT_T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365];
const NORMAL = 2.31;

/** Minimum rate, per second. Lower rates are raised to it, so that ratios are finite. */
const MIN_RATE = 1e-3;

/**
 * Computes the ratio of rates that were measured in adjacent pairs. It uses logarithms, so that a factor of 2 and a
 * factor of 1/2 have equal weight. Both rates of a pair share the current disturbances of the device, so their ratio
 * varies less than the rates.
 */
export function rateRatio(rates: readonly number[], baseRates: readonly number[]): RateRatio {
  const logs = rates.map((rate, pair) => Math.log(atLeast(rate) / atLeast(baseRates[pair] ?? 0)));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const reach = logs.length < 2 ? Infinity : studentT(logs.length - 1) * standardError(logs, mean);
  return { value: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}

function standardError(values: readonly number[], mean: number): number {
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}

function studentT(degrees: number): number {
  return STUDENT_T[degrees - 1] ?? NORMAL;
}

function atLeast(rate: number): number {
  return Math.max(MIN_RATE, rate);
}
