import type { Standing } from "../../src/results.js";
import { grouped } from "../grouped.js";
import { figure, withInterval } from "../numbers.js";
import { table } from "../tables.js";
import { inOrder, nameOfLane } from "./lane-names.js";
import { LANES, MOST_WIDGETS } from "./plan.js";
import type { PageRow, PageSuiteReport } from "./report.js";
import { longestTask } from "./tables.js";

/** The load of the README. */
const CROWD = `widgets-${MOST_WIDGETS}`;

/** The site that most pages are. The reports also have the other one. */
const isUsual = ({ site }: PageRow): boolean => site === "ordinary";

/** The rows of a model under the load of the README. */
export interface Crowd {
  readonly model: string;
  readonly rows: readonly PageRow[];
}

export function crowdsOf(reports: readonly PageSuiteReport[]): Crowd[] {
  const rows = reports.flatMap((report) => report.rows.filter(isUsual)).filter(({ load }) => load === CROWD);
  return [...grouped(rows, ({ model }) => model)].map(([model, ofModel]) => ({ model, rows: inOrder(ofModel) }));
}

/** Creates the sentence and the picture of README.md. */
export function pageSentence(reports: readonly PageSuiteReport[]): string {
  const crowds = crowdsOf(reports);
  const answers = crowds.map(({ model, rows }) => {
    const [ours, ...others] = rows;
    const best = others.toSorted((a, b) => b.throughputPerSec - a.throughputPerSec)[0];
    return `${model} ${figure(ours?.throughputPerSec ?? null)} against ${figure(best?.throughputPerSec ?? null)} (${nameOfLane(best?.lane ?? "")})`;
  });
  const ours = crowds.flatMap(({ rows }) => rows.slice(0, 1));
  const others = crowds.flatMap(({ rows }) => rows.slice(1));
  return [
    `Answers a second of ${MOST_WIDGETS} widgets that each call on their own while the page animates and is typed in, framebatch`,
    `against the best of ${LANES.length - 1} other ways: ${answers.join(", ")}; a keystroke takes ${keystrokesOf(ours)} (p98) to the frame that`,
    `shows it, and ${keystrokesOf(others)} with the others.\n\n![Answers a second, time to the frame of a keystroke, and memory, by lane](docs/widgets.svg)`,
  ].join(" ");
}

function keystrokesOf(rows: readonly PageRow[]): string {
  const values = rows.map(({ keyP98Ms }) => keyP98Ms.value);
  return `${figure(Math.min(...values))} to ${figure(Math.max(...values))} ms`;
}

/** Creates the section of docs/results.md. */
export function pageSection(reports: readonly PageSuiteReport[]): string {
  const parts = reports.flatMap((report) => {
    const { command, date, machine, browser, rows } = report;
    const models = grouped(rows.filter(isUsual), ({ model }) => model);
    return [
      `\`${command}\` on ${date.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.os}, ${browser}.`,
      ...[...models].flatMap(([name, ofModel]) => [`**${name}**`, modelTable(ofModel) ?? ""]),
    ];
  });
  return [...parts, promisesTable(reports.flatMap(({ standings }) => standings)) ?? ""].join("\n\n");
}

/** One line for each promise, and one for all: how many cells of each model keep it, break it, or leave it open. */
function promisesTable(standings: readonly Standing[]): string | null {
  const models = [...grouped(standings, ({ model }) => model).values()];
  const line = (name: string, isMeant: (standing: Standing) => boolean, countsOf: typeof outcomesOf): string[] => [
    name,
    ...models.map((ofModel) => countsOf(ofModel.filter(isMeant))),
  ];
  const kinds = [...new Set(standings.map(({ what }) => what))];
  return table(
    ["Kept, broken, undecided", ...models.flatMap(([first]) => first?.model ?? [])],
    [
      ...kinds.map((kind) => line(kind, ({ what }) => what === kind, outcomesOf)),
      line("all", () => true, outcomesOf),
      line(
        "broken by the median alone",
        ({ isMet }) => !isMet,
        ({ length }) => String(length),
      ),
    ],
  );
}

function outcomesOf(standings: readonly Standing[]): string {
  const won = standings.filter(({ outcome }) => outcome === "won").length;
  const lost = standings.filter(({ outcome }) => outcome === "lost").length;
  return [won, lost, standings.length - won - lost].join(", ");
}

/** The heads of what `feltOf` returns. */
const FELT = [
  "p99 of answers, ms",
  "keystroke p75, ms",
  "keystroke p98, ms",
  "dropped frames/s",
  "longest task, ms",
  "MB",
] as const;

/** One line for each lane: its answers under each load, and what else is felt under the last one. */
function modelTable(rows: readonly PageRow[]): string | null {
  const loads = [...new Set(rows.map(({ load }) => load))];
  const last = loads.at(-1) ?? "";
  const lanes = [...grouped(inOrder(rows), ({ lane }) => lane)];
  return table(
    ["", ...loads, ...FELT],
    lanes.map(([lane, ofLane]) => {
      const row = ofLane.find(({ load }) => load === last);
      const answers = loads.map((load) => answersOf(ofLane.find((each) => each.load === load)));
      return [nameOfLane(lane), ...answers, ...(row === undefined ? [] : feltOf(row))];
    }),
  );
}

/** Answers a second, and frames from a call to the one that shows its answer. */
function answersOf(row: PageRow | undefined): string {
  return row === undefined ? figure(null) : `${figure(row.throughputPerSec)}, ${figure(row.framesToPaint)}`;
}

function feltOf(row: PageRow): string[] {
  return [
    figure(row.p99Ms),
    withInterval(row.keyP75Ms, ""),
    withInterval(row.keyP98Ms, ""),
    figure(row.droppedFramesPerSec),
    longestTask(row.longestTaskMs),
    figure(row.memoryBytes === null ? null : row.memoryBytes.value / 1e6),
  ];
}
