/** How many times one rate is another, and the range that holds the true ratio in 95 of 100 such measurements. */
export interface RateRatio {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Student's t at 97.5 %, for 1 degree of freedom and more. */
const STUDENT_T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365];
const NORMAL = 2.31;

/** Rates below this, per second, are none. */
const LEAST_RATE = 1e-3;

/**
 * The ratio of rates that were measured in pairs, one next to the other. On logarithms, so that twice and half weigh
 * alike; neighbours share what disturbs the device at the time, so a pair's ratio scatters less than its rates do.
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
  return Math.max(LEAST_RATE, rate);
}
