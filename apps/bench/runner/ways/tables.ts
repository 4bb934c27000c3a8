import type { Standing } from "../../src/results.js";
import { grouped } from "../../src/ort/grouped.js";
import { figure, withInterval } from "../print/numbers.js";
import { oneLine, section, table } from "../print/tables.js";
import type { TrainingRow, WaysReport } from "./report.js";
import type { WaysCell } from "./plan.js";

const WORDS: Readonly<Record<Standing["outcome"], string>> = {
  won: "kept",
  lost: "**broken**",
  "cannot tell": "cannot be told",
  "cannot feel": "cannot feel",
};

/** Creates the Markdown of a comparison of the ways to run. */
export function waysMarkdown(report: WaysReport): string {
  const { machine, browser, command, date, seed, problems } = report;
  const facts = [
    `- \`${command}\`, seed ${seed}, ${date}`,
    `- ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.os}, ${browser}`,
    ...problems.map((problem) => `- **${oneLine(problem)}**`),
  ];
  const models = [...new Set(report.rows.map(({ model }) => model))];
  const parts = [
    "# framebatch: the way to run, by default and by hand",
    facts.join("\n"),
    summaryOf(report.standings),
    ...section("Promises", standingsTable(report.standings)),
    ...section("Visits on which ways were measured", trainingsTable(report.trainings)),
    ...section("The way that framebatch ran on without options", ranOnTable(report)),
    ...models.flatMap((model) => section(`Figures: ${model}`, rowsTable(report, model))),
    ...section("Not measured", gapsTable(report)),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Returns one line for each promise, and one for all of them. */
export function summaryOf(standings: readonly Standing[]): string {
  const lines = [...grouped(standings, ({ what }) => what)].map(([what, all]) => `- ${what}: ${countsOf(all)}`);
  return [...lines, `- **all: ${countsOf(standings)}**`].join("\n");
}

function countsOf(standings: readonly Standing[]): string {
  const count = (wanted: Standing["outcome"]): number => standings.filter(({ outcome }) => outcome === wanted).length;
  const missed = standings.filter(({ isMet }) => !isMet).length;
  return (
    `${standings.length} cells, ${count("won")} kept, ${count("lost")} broken, ${count("cannot tell")} cannot be told, ` +
    `${count("cannot feel")} cannot feel; by the median alone ${missed} broken`
  );
}

function standingsTable(standings: readonly Standing[]): string | null {
  return table(
    ["cell", "load", "promise", "goal", "outcome", "default over the best way", "best way"],
    standings.map(({ what, goal, outcome, ratio, peer, load, ...cell }) => [
      placeOf(cell),
      load,
      what,
      "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`,
      WORDS[outcome],
      withInterval(ratio, "×"),
      peer,
    ]),
  );
}

function trainingsTable(trainings: readonly TrainingRow[]): string | null {
  return table(
    ["cell", "load", "first other way after", "all measured after", "results"],
    trainings.map(({ load, startedAfterMs, endedAfterMs, missing, trials, ...cell }) => [
      placeOf(cell),
      load,
      seconds(startedAfterMs),
      seconds(endedAfterMs),
      [...trials.map(resultOf), ...(missing === null ? [] : [missing])].join("; "),
    ]),
  );
}

function resultOf({ provider, numThreads, chosen, reason }: TrainingRow["trials"][number]): string {
  return `${provider}, threads ${numThreads}: ${reason}${chosen ? " (wins)" : ""}`;
}

function ranOnTable({ ranOn }: WaysReport): string | null {
  return table(
    ["cell", "visit", "measured with", "ways"],
    ranOn.map(({ visit, callers, ways, ...cell }) => [
      placeOf(cell),
      visit,
      callers === null ? figure(null) : `callers ${callers}`,
      ways.join(", "),
    ]),
  );
}

function rowsTable({ rows }: WaysReport, model: string): string | null {
  const ofModel = rows.filter((row) => row.model === model);
  return table(
    ["cell", "load", "lane", "answers a second", "p50, ms", "p99, ms", "first answer, ms", "pages", "slices"],
    ofModel.map((row) => {
      const isServed = row.load.startsWith("closed-");
      return [
        placeOf(row),
        row.load,
        row.lane,
        isServed ? withInterval({ value: row.throughputPerSec, interval: row.throughputInterval }, "") : figure(null),
        figure(row.p50Ms),
        figure(row.p99Ms),
        figure(row.firstAnswerMs),
        String(row.pages),
        String(row.slices),
      ];
    }),
  );
}

function gapsTable({ gaps }: WaysReport): string | null {
  const lines = grouped(gaps, ({ load, lane, reason, ...cell }) => [placeOf(cell), load, lane, reason].join("|"));
  return table(
    ["cell", "load", "lane", "reason"],
    [...lines.values()].flatMap((same) =>
      same
        .slice(0, 1)
        .map(({ load, lane, reason, ...cell }) => [placeOf(cell), load, lane, reason.split("\n")[0] ?? ""]),
    ),
  );
}

function placeOf({ model, backend, site }: WaysCell): string {
  return `${model}, ${backend === "wasm" ? "no WebGPU" : "WebGPU"}, ${site}`;
}

function seconds(ms: number | null): string {
  return ms === null ? figure(null) : `${(ms / 1000).toFixed(1)} s`;
}
