import type { Ratio } from "../../src/results.js";
import type { Estimate } from "../../src/statistics/bootstrap.js";
import type { Report } from "./report.js";

/** A difference from an earlier run that exceeds the noise. */
export interface Change {
  readonly cell: string;
  readonly what: "throughput" | "p50";
  readonly before: Estimate;
  readonly after: Estimate;
  /** After divided by before. For throughput a smaller factor is worse, for p50 a larger one. */
  readonly factor: number;
  readonly isWorse: boolean;
}

/** Minimum relative change that is reported, even if it is significant. */
const MIN_CHANGE = 0.05;

/**
 * Lists what became slower or faster, worst first. It compares ratios within each run (to batching off and to the
 * limit), since absolute times depend on the state of the machine. A change is reported if the two 95 % intervals do
 * not overlap.
 */
export function compareReports(before: Pick<Report, "ratios">, after: Pick<Report, "ratios">): Change[] {
  const old = new Map(before.ratios.map((ratio) => [nameOf(ratio), ratio]));
  const changes = after.ratios.flatMap((ratio) => {
    const earlier = old.get(nameOf(ratio));
    return earlier === undefined ? [] : changesOf(earlier, ratio);
  });
  return changes.toSorted((a, b) => badness(b) - badness(a));
}

function nameOf({ model, backend, site, adapter, load, lane, over }: Ratio): string {
  return `${model}/${backend}${adapter === null ? "" : ` (${adapter})`}/${site}/${load}/${lane} over ${over}`;
}

function changesOf(before: Ratio, after: Ratio): Change[] {
  return (["throughput", "p50"] as const).flatMap((what) => {
    const [was, is] = [before[what], after[what]];
    if (was === null || is === null || overlap(was, is)) return [];
    const factor = is.value / was.value;
    if (Math.abs(factor - 1) < MIN_CHANGE) return [];
    const isWorse = what === "throughput" ? factor < 1 : factor > 1;
    return [{ cell: nameOf(after), what, before: was, after: is, factor, isWorse }];
  });
}

function overlap(a: Estimate, b: Estimate): boolean {
  return a.interval.low <= b.interval.high && b.interval.low <= a.interval.high;
}

function badness({ what, factor }: Change): number {
  return what === "throughput" ? 1 / factor : factor;
}
