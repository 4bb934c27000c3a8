import type { Findings } from "./findings.js";

export interface Verdict extends Findings {
  readonly id: string;
  readonly seconds: number;
}

/** One line for each promise, and one more for each way in which it is broken. */
export function lineOf(verdict: Verdict, seed: number): string {
  const { id, breaches, lost, wrong, duplicated, n, faults, leakedBytesPerRequest, recoverP95Ms, figures } = verdict;
  const words = [
    id,
    breaches.length === 0 ? "PASS" : "FAIL",
    `lost=${shown(lost)}`,
    `wrong=${shown(wrong)}`,
    `dup=${shown(duplicated)}`,
    `n=${shown(n)}`,
    `faults=${shown(faults)}`,
    `leak=${leakedBytesPerRequest === null ? "n/a" : `${leakedBytesPerRequest.toFixed(4)}B/req`}`,
    `recover_p95=${recoverP95Ms === null ? "n/a" : `${(recoverP95Ms / 1000).toFixed(2)}s`}`,
    ...Object.entries(figures).map(([name, value]) => `${name}=${shown(value)}`),
    `seed=${seed}`,
    `took=${verdict.seconds.toFixed(0)}s`,
  ];
  return [words.join(" "), ...breaches.map((breach) => `   ${breach}`)].join("\n");
}

/** For programs. */
export function toJson(verdicts: readonly Verdict[], seed: number): string {
  const promises = verdicts.map(({ figures, breaches, ...rest }) => ({
    pass: breaches.length === 0,
    ...rest,
    ...figures,
    breaches,
  }));
  return `${JSON.stringify({ seed, promises }, null, 1)}\n`;
}

function shown(value: number | string | null): string {
  if (value === null) return "n/a";
  return typeof value === "number" ? String(Math.round(value * 1000) / 1000) : value;
}
