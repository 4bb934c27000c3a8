import type { Account } from "./ledger.js";

/** The results of the test of one promise. A figure that the test does not measure is `null`. */
export interface Findings {
  readonly n: number | null;
  readonly lost: number | null;
  readonly wrong: number | null;
  readonly duplicated: number | null;
  readonly leakedBytesPerRequest: number | null;
  /** The number of injected faults. */
  readonly faults: number | null;
  /** The 95th percentile of the time from the detection of a loss to the next correct answer. */
  readonly recoverP95Ms: number | null;
  /** Further figures. The names contain the unit. */
  readonly figures: Readonly<Record<string, number | string | null>>;
  /** The expectations that were not met, one message each. The promise is kept if there are none. */
  readonly breaches: readonly string[];
  /** The limits on speed that were not met, one message each. They count only if the machine was not busy. */
  readonly slow: readonly string[];
}

export const NOTHING: Findings = {
  n: null,
  lost: null,
  wrong: null,
  duplicated: null,
  leakedBytesPerRequest: null,
  faults: null,
  recoverP95Ms: null,
  figures: {},
  breaches: [],
  slow: [],
};

/** Returns the figures of an account, and a breach for each kind of error in it. */
export function judged(account: Account): Pick<Findings, "n" | "lost" | "wrong" | "duplicated" | "breaches"> {
  const { n, lost, wrong, duplicated, failed, errors } = account;
  const settled = account.answered + account.excused + failed + lost;
  return {
    n,
    lost,
    wrong,
    duplicated,
    breaches: [
      ...atMost("requests lost", lost, 0),
      ...atMost("wrong answers", wrong, 0),
      ...atMost("requests settled twice", duplicated, 0),
      ...atMost(`requests rejected without a reason of their own (${list(errors)})`, failed, 0),
      ...(settled === n ? [] : [`expected every request to settle once, got ${settled} outcomes of ${n} requests`]),
    ],
  };
}

export function atMost(what: string, got: number | null, limit: number): string[] {
  if (got === null) return [`expected ${what} to be measured, got nothing`];
  return got <= limit ? [] : [`expected at most ${limit} ${what}, got ${rounded(got)}`];
}

export function atLeast(what: string, got: number | null, limit: number): string[] {
  if (got === null) return [`expected ${what} to be measured, got nothing`];
  return got >= limit ? [] : [`expected at least ${limit} ${what}, got ${rounded(got)}`];
}

export function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(", ");
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
