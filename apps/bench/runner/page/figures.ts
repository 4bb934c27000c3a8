import type { Standing } from "../../src/results.js";
import { grouped } from "../../src/ort/grouped.js";
import { figure } from "../print/numbers.js";
import { table } from "../print/tables.js";
import { inOrder, nameOfLane } from "./lane-names.js";
import { LANES, MOST_WIDGETS } from "./plan.js";
import type { PageRow, PageSuiteReport } from "./report.js";

/** The load of the README. */
const CROWD = `widgets-${MOST_WIDGETS}`;

/** Up to this number of widgets, batches have few rows. */
const FEW_WIDGETS = 16;

const isOfFew = ({ load }: PageRow): boolean => Number(load.replace("widgets-", "")) <= FEW_WIDGETS;

/** The site that most pages are. The reports also have the other one. */
const isUsual = ({ site }: PageRow): boolean => site === "ordinary";

/** The rows of a model under the load of the README. */
export interface Crowd {
  readonly model: string;
  readonly rows: readonly PageRow[];
}

export function crowdsOf(reports: readonly PageSuiteReport[]): Crowd[] {
  const crowd = usualRows(reports).filter(({ load }) => load === CROWD);
  return [...grouped(crowd, ({ model }) => model)].map(([model, ofModel]) => ({ model, rows: inOrder(ofModel) }));
}

function usualRows(reports: readonly PageSuiteReport[]): PageRow[] {
  return reports.flatMap((report) => report.rows.filter(isUsual));
}

/** The other ways to run a model, by what they do. */
const OTHERS = {
  oneByOne: ["off", "ort-comlink", "transformers-js"],
  batching: ["dataloader", "hand-written"],
  onPage: ["ort-main"],
};

/** Creates the sentences and the picture of README.md: what framebatch gains, over which way, and where it does not. */
export function pageSentence(reports: readonly PageSuiteReport[]): string {
  const rows = usualRows(reports);
  const crowd = rows.filter(({ load }) => load === CROWD);
  const keys = (lanes: readonly string[]) =>
    crowd.filter(({ lane }) => lanes.includes(lane)).map(({ keyP98Ms }) => keyP98Ms.value);
  return [
    `Of ${MOST_WIDGETS} widgets that each call about once a frame, on a page that animates and is typed in, framebatch answers`,
    `${gainOver(crowd, OTHERS.oneByOne)} times as many calls as a worker that runs them one by one, ${gainOver(crowd, OTHERS.batching)}`,
    `times as many as a batcher by hand before such a worker, and ${gainOver(crowd, OTHERS.onPage)} times as many as`,
    `onnxruntime-web on the page's own thread. There, a keystroke takes up to ${highest(keys(OTHERS.onPage))} ms (p98) to the frame`,
    `that shows it; with framebatch, up to ${highest(keys(["frame"]))} ms.`,
    `Of ${FEW_WIDGETS} widgets or fewer there is nothing to gain: ${gainOver(rows.filter(isOfFew), LANES.slice(1))} times as many.`,
    "\n\n![Answers a second, time to the frame of a keystroke, and memory, by lane](docs/widgets.svg)",
  ].join(" ");
}

/** The least and the most that framebatch answers for one answer of another lane, over the models and loads of rows. */
function gainOver(rows: readonly PageRow[], lanes: readonly string[]): string {
  const gains = [...grouped(rows, ({ model, load }) => `${model} ${load}`).values()].flatMap((cell) => {
    const ours = cell.find(({ lane }) => lane === "frame");
    const theirs = cell.filter(({ lane }) => lanes.includes(lane));
    return theirs.map(({ throughputPerSec }) => (ours?.throughputPerSec ?? NaN) / throughputPerSec);
  });
  return `${figure(Math.min(...gains))} to ${highest(gains)}`;
}

function highest(values: readonly number[]): string {
  return figure(Math.max(...values));
}

/** Creates the section of docs/results.md. */
export function pageSection(reports: readonly PageSuiteReport[]): string {
  const standings = reports.flatMap((report) => report.standings);
  return [...sourcesOf(reports), lanesTable(reports) ?? "", promisesTable(standings) ?? ""].join("\n\n");
}

/** One line for all reports of a day and a machine. */
function sourcesOf(reports: readonly PageSuiteReport[]): string[] {
  const placeOf = ({ date, machine, browser }: PageSuiteReport): string =>
    `${date.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.os}, ${browser}`;
  return [...grouped(reports, placeOf)].map(
    ([place, ofPlace]) => `On ${place}. ${ofPlace.map(({ command }) => `\`${command}\``).join(", ")}.`,
  );
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
  return [won, lost, standings.length - won - lost].join("/");
}

/** The loads of the table: as many widgets as have nothing to gain, and the crowd. */
const SHOWN_LOADS = [`widgets-${FEW_WIDGETS}`, CROWD];

/** One line for each model and lane: its answers under the shown loads, and what else is felt under the crowd. */
function lanesTable(reports: readonly PageSuiteReport[]): string | null {
  const cells = grouped(usualRows(reports), ({ model, lane }) => `${model} ${lane}`);
  return table(
    [
      "Model",
      "Lane",
      ...SHOWN_LOADS.map((load) => load.replace(/^widgets-(\d+)$/, "$1 widgets")),
      "frames to paint",
      "p99, ms",
      "keystroke p98, ms",
      "MB",
    ],
    crowdsOf(reports).flatMap(({ model, rows: crowd }) =>
      crowd.map((row, at) => {
        const ofLane = cells.get(`${model} ${row.lane}`) ?? [];
        const answers = SHOWN_LOADS.map((load) => answersOf(ofLane, load));
        return [at === 0 ? model : "", nameOfLane(row.lane), ...answers, ...feltOf(row)];
      }),
    ),
  );
}

function answersOf(rows: readonly PageRow[], load: string): string {
  return figure(rows.find((row) => row.load === load)?.throughputPerSec ?? null);
}

function feltOf({ framesToPaint, p99Ms, keyP98Ms, memoryBytes }: PageRow): string[] {
  const megabytes = memoryBytes === null ? null : memoryBytes.value / 1e6;
  return [framesToPaint, p99Ms, keyP98Ms.value, megabytes].map(figure);
}
