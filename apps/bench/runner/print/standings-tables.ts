import type { Goal, Standing } from "../../src/results.js";
import { cellName } from "../../src/run/plan.js";
import { misses } from "../results/standings.js";
import { grouped } from "../../src/ort/grouped.js";
import { figure, withInterval } from "./numbers.js";
import { section, table } from "./tables.js";

/** Compares framebatch with the best peer of each cell: one table per model, then the broken promises. */
export function standingsSections(standings: readonly Standing[]): string[] {
  const models = grouped(standings, ({ model, backend, site }) => `${model}, ${backend}, ${site} site`);
  return [
    ...[...models].flatMap(([name, ofModel]) => section(`Against the best peer: ${name}`, modelTable(ofModel))),
    ...section("Against the best peer: all", standings.length === 0 ? null : summary(standings)),
  ];
}

/** Creates one line per load and lane, and one column per promise. */
function modelTable(standings: readonly Standing[]): string | null {
  const promises = [...new Set(standings.map(({ what }) => what))];
  const lines = grouped(standings, ({ load, lane }) => `${load}, ${lane}`);
  return table(
    ["load", "lane", ...promises],
    [...lines.values()].map((ofLine) => [
      ofLine[0]?.load ?? "",
      ofLine[0]?.lane ?? "",
      ...promises.map((promise) => verdict(ofLine.find(({ what }) => what === promise))),
    ]),
  );
}

function verdict(standing: Standing | undefined): string {
  if (standing === undefined) return figure(null);
  const { outcome, ratio, peer } = standing;
  const word = outcome === "lost" ? "**lost**" : outcome;
  return `${word} ${withInterval(ratio, "×")} ${peer}`;
}

function summary(standings: readonly Standing[]): string {
  const count = (wanted: Standing["outcome"]): number => standings.filter(({ outcome }) => outcome === wanted).length;
  const missed = standings.filter(({ isMet }) => !isMet);
  const sum =
    `${standings.length} promises: ${count("won")} won, ${count("lost")} lost, ${count("cannot feel")} too small a ` +
    `difference to feel, ${count("cannot tell")} cannot tell, the interval being too wide. By the median alone ${missed.length} are lost.`;
  const lost = lostTable(missed);
  return lost === null ? sum : `${sum} These, worst first:\n\n${lost}`;
}

function lostTable(missed: readonly Standing[]): string | null {
  return table(
    ["cell", "of what", "best peer", "ours over theirs", "goal", "by the interval"],
    missed
      .toSorted((a, b) => misses(b.goal, b.ratio.value) - misses(a.goal, a.ratio.value))
      .map((standing) => {
        const { what, peer, ratio, goal, outcome } = standing;
        return [`${cellName(standing)}, ${standing.site}`, what, peer, withInterval(ratio, "×"), bound(goal), outcome];
      }),
  );
}

function bound(goal: Goal): string {
  return "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
}
