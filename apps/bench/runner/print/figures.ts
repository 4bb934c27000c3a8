import { isSoftwareName } from "../../src/measure/adapter.js";
import type { Ratio } from "../../src/results.js";
import { figure, withInterval } from "./numbers.js";
import type { BrowserRun, Report } from "../results/report.js";

/** The lane with framebatch's default options. */
const LANE = "frame";

/** Minimum number of rounds behind an interval. With fewer, the interval would suggest a certainty that is not there. */
const MIN_ROUNDS = 3;

/**
 * Creates the Markdown of the performance figures in README.md: the latest committed results and their source. Without
 * those of a GPU in software, whose times are no user's.
 */
export function figuresOf(report: Pick<Report, "command" | "date" | "machine" | "runs" | "ratios">): string {
  const { ratios } = report;
  const runs = report.runs.filter(({ adapter }) => !isSoftwareName(adapter ?? ""));
  const models = [...new Set(ratios.map(({ model }) => model))];
  const head = [
    "Model",
    ...runs.flatMap((run) => [`${nameOf(run)}: answers of 256 callers`, `${nameOf(run)}: p50 of a lone caller`]),
  ];
  const rows = models.map((model) => [
    model,
    ...runs.flatMap((run) => {
      const find = (load: string) => ratios.find((ratio) => isOverOff(ratio, model, run, load));
      return [times(find("closed-256"), "throughput"), times(find("closed-1"), "p50")];
    }),
  ]);
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `${lines.join("\n")}\n\n${sourceOf(report)}`;
}

function isOverOff(ratio: Ratio, model: string, { backend, site }: BrowserRun, load: string): boolean {
  const isWanted = ratio.lane === LANE && ratio.over === "off" && ratio.load === load;
  return isWanted && ratio.model === model && ratio.backend === backend && ratio.site === site;
}

function times(ratio: Ratio | undefined, what: "throughput" | "p50"): string {
  const estimate = ratio?.[what] ?? null;
  if (ratio === undefined || estimate === null || ratio.rounds >= MIN_ROUNDS) return withInterval(estimate, "×");
  return `${figure(estimate.value)}× (too few rounds)`;
}

function nameOf({ backend, site, adapter }: BrowserRun): string {
  const where = site === "isolated" ? "" : ", ordinary site";
  return (backend === "wasm" ? "WASM" : `WebGPU (${adapter})`) + where;
}

function sourceOf({ command, date, machine, runs }: Pick<Report, "command" | "date" | "machine" | "runs">): string {
  const browsers = [...new Set(runs.map(({ browser }) => browser))].join(", ");
  const { cpu, cores, memoryGb, os } = machine;
  return `\`${command}\` on ${date.slice(0, 10)}: ${cpu}, ${cores} cores, ${memoryGb} GB, ${os}, ${browsers}.`;
}

/** Matches performance figures in a text: factors, milliseconds per call, calls per second. */
const SPEED =
  /\d[\d,.]*\s*(?:×(?!\d)|times (?:as|faster|more|less|fewer|slower)|%\s*(?:faster|slower)|(?:µs|ms) (?:a|per)\b|(?:a|per) second|\/s\b)/g;

/** Returns the performance figures in a text that are not in a generated table. */
export function strayFigures(text: string): string[] {
  return text.match(SPEED) ?? [];
}
