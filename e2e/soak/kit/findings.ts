import type { Account } from "./ledger.js";

/** What one promise was found to be worth. A figure that this run has not measured is `null`. */
export interface Findings {
  readonly n: number | null;
  readonly lost: number | null;
  readonly wrong: number | null;
  readonly duplicated: number | null;
  readonly leakedBytesPerRequest: number | null;
  /** Faults that were injected. */
  readonly faults: number | null;
  /** From the moment a loss is noticed to the next good answer, 95th percentile. */
  readonly recoverP95Ms: number | null;
  /** Further figures, by name with unit. */
  readonly figures: Readonly<Record<string, number | string | null>>;
  /** What was expected and not met, a sentence each: the promise is kept where there is none. */
  readonly breaches: readonly string[];
  /** What took longer than expected, a sentence each: it counts only where the machine was not busy with something else. */
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

/** The figures of an account, and how it falls short of perfection. */
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
      ...atMost(`requests rejected for no fault of theirs (${list(errors)})`, failed, 0),
      ...(settled === n ? [] : [`expected every request to end in one way, got ${settled} ends of ${n} requests`]),
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
