import type { Scenario } from "../model/scenarios.js";
import { OURS } from "../our-names.js";
import type { Row } from "../run/row.js";

/** The figures to compare; `isCost`: less is better. */
const FIGURES: readonly (readonly [name: string, of: (row: Row) => number, isCost: boolean])[] = [
  ["mean", (row) => row.meanMs, true],
  ["first answer", (row) => row.firstAnswerMs, true],
  ["p50", (row) => row.p50Ms, true],
  ["p99", (row) => row.p99Ms, true],
  ["frames to paint", (row) => row.framesToPaint, true],
  ["device time", (row) => row.deviceMsPerRequest, true],
  ["answers per s", (row) => row.throughputPerSec, false],
  ["good share", (row) => row.goodShare, false],
];

/** How many of the changes to show, those for the worse first. */
const SHOWN = 5;

/** Formats the largest changes of our policies for the worse, whether or not a criterion counts them. */
export function changesFor(before: readonly Scenario[], after: readonly Scenario[]): string {
  const old = new Map(before.map((scenario) => [keyOf(scenario), scenario]));
  const changes = after.flatMap((scenario) => changesIn(old.get(keyOf(scenario)), scenario));
  const worst = changes.toSorted((a, b) => b.times - a.times).slice(0, SHOWN);
  return worst.map(({ what, times }) => `${what}: ${times.toFixed(2)} times worse`).join("\n");
}

function changesIn(before: Scenario | undefined, after: Scenario): { readonly what: string; readonly times: number }[] {
  return OURS.flatMap((policy) => {
    const [old, now] = [before?.means.get(policy), after.means.get(policy)];
    if (old === undefined || now === undefined) return [];
    return FIGURES.flatMap(([name, of, isCost]) => {
      const times = isCost ? of(now) / of(old) : of(old) / of(now);
      return Number.isFinite(times) ? [{ what: `${keyOf(after)}, ${policy}, ${name}`, times }] : [];
    });
  });
}

function keyOf({ cost, arrivals, noise }: Scenario): string {
  return `${cost}, ${arrivals}, noise ${noise}`;
}
