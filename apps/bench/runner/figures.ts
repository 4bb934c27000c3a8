import type { Ratio } from "../src/results.js";
import { withInterval } from "./numbers.js";
import type { BrowserRun, Report } from "./report.js";

/** The lane that a user of framebatch has who asks for nothing else. */
const LANE = "frame";

/** What README.md says of speed, as Markdown: the latest committed results, and where they come from. */
export function figuresOf(report: Pick<Report, "command" | "date" | "machine" | "runs" | "ratios">): string {
  const { runs, ratios } = report;
  const models = [...new Set(ratios.map(({ model }) => model))];
  const head = ["Model", ...runs.flatMap((run) => [`${nameOf(run)}: throughput`, `${nameOf(run)}: lone caller`])];
  const rows = models.map((model) => [
    model,
    ...runs.flatMap(({ backend }) => {
      const find = (load: string) => ratios.find((ratio) => isOverOff(ratio, model, backend, load));
      return [times(find("closed-256")?.throughput), times(find("closed-1")?.p50)];
    }),
  ]);
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `${lines.join("\n")}\n\n${sourceOf(report)}`;
}

function isOverOff(ratio: Ratio, model: string, backend: string, load: string): boolean {
  const isWanted = ratio.lane === LANE && ratio.over === "off" && ratio.load === load;
  return isWanted && ratio.model === model && ratio.backend === backend;
}

function times(estimate: Ratio["throughput"] | undefined): string {
  return withInterval(estimate ?? null, "×");
}

function nameOf({ backend, adapter }: BrowserRun): string {
  return backend === "wasm" ? "WASM" : `WebGPU (${adapter})`;
}

function sourceOf({ command, date, machine, runs }: Pick<Report, "command" | "date" | "machine" | "runs">): string {
  const browsers = [...new Set(runs.map(({ browser }) => browser))].join(", ");
  const { cpu, cores, memoryGb, os } = machine;
  return `\`${command}\` on ${date.slice(0, 10)}: ${cpu}, ${cores} cores, ${memoryGb} GB, ${os}, ${browsers}.`;
}

/** Where speed is written of in figures: times as many, milliseconds a call, calls a second. */
const SPEED =
  /\d[\d,.]*\s*(?:×(?!\d)|times (?:as|faster|more|less|fewer|slower)|%\s*(?:faster|slower)|(?:µs|ms) (?:a|per)\b|(?:a|per) second|\/s\b)/g;

/** Figures of speed in a text that no table of results stands behind. */
export function strayFigures(text: string): string[] {
  return text.match(SPEED) ?? [];
}
