import type { Findings } from "./findings.js";
import { isBusy } from "./machine-watch.js";

export interface Verdict extends Findings {
  readonly id: string;
  readonly seconds: number;
  /** How much slower than at best the machine was during the test: see `MachineWatch.slowdownSince`. */
  readonly slowdown: number;
}

/** Returns true if the promise is kept. Limits on speed are ignored if the machine was busy. */
export function isKept({ breaches, slow, slowdown }: Verdict): boolean {
  return breaches.length === 0 && (slow.length === 0 || isBusy(slowdown));
}

/** Returns one line for the promise, and one more for each breach and each limit on speed that was not met. */
export function lineOf(verdict: Verdict, seed: number): string {
  const {
    id,
    breaches,
    slow,
    slowdown,
    lost,
    wrong,
    duplicated,
    n,
    faults,
    leakedBytesPerRequest,
    recoverP95Ms,
    figures,
  } = verdict;
  const words = [
    id,
    isKept(verdict) ? "PASS" : "FAIL",
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
    `slowdown=${slowdown.toFixed(1)}`,
  ];
  const why = isBusy(slowdown) ? `the machine was busy (work took ${slowdown.toFixed(1)} times as long): ` : "";
  return [words.join(" "), ...breaches.map((breach) => `   ${breach}`), ...slow.map((each) => `   ${why}${each}`)].join(
    "\n",
  );
}

/** Returns the verdicts as JSON. */
export function toJson(verdicts: readonly Verdict[], seed: number): string {
  const promises = verdicts.map((verdict) => {
    const { figures, breaches, slow, ...rest } = verdict;
    return { pass: isKept(verdict), ...rest, ...figures, breaches, slow };
  });
  return `${JSON.stringify({ seed, promises }, null, 1)}\n`;
}

function shown(value: number | string | null): string {
  if (value === null) return "n/a";
  return typeof value === "number" ? String(Math.round(value * 1000) / 1000) : value;
}
