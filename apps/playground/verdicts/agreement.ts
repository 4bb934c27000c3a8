import { formatFactor, formatFigure, formatRange } from "../src/measure/verdict.js";
import { MEASURES, type Gains, type Measure } from "../src/measure/gain.js";
import type { Verdict } from "../src/measure/outcome.js";
import type { Ratio } from "../src/measure/paired-ratio.js";
import type { CheckedModel } from "./checked-models.js";

/** In these, "Yes" must never hide a loss. */
const PROMISED: readonly Measure[] = ["throughput", "median", "first"];

/** A verdict and the figures that it follows from. */
export interface Judged {
  readonly verdict: Verdict;
  readonly gains: Gains;
}

/** One model: what the page says, and what the benchmark says. */
export interface CheckedVerdict {
  readonly model: CheckedModel;
  readonly page: Judged;
  readonly bench: Judged;
  /** Load of the machine during the last minute, before the page's comparison. */
  readonly machineLoad: number;
}

export function agrees({ page, bench }: CheckedVerdict): boolean {
  return page.verdict.answer === bench.verdict.answer;
}

/**
 * Whether verdicts that differ follow from measurements that agree: where the effects differ, the 95 % intervals of both
 * overlap. The model is near the border of two answers, and the benchmark alone would say one or the other by chance.
 */
export function isNearBorder(one: CheckedVerdict): boolean {
  const { page, bench } = one;
  const differing = MEASURES.filter((measure) => page.verdict.effects[measure] !== bench.verdict.effects[measure]);
  return !agrees(one) && differing.every((measure) => overlap(page.gains[measure].factor, bench.gains[measure].factor));
}

/** The measures in which the page says "Yes" and the benchmark says that batching is worse. */
export function hiddenLosses({ page, bench }: CheckedVerdict): readonly Measure[] {
  return page.verdict.answer === "yes" ? PROMISED.filter((measure) => bench.verdict.effects[measure] === "worse") : [];
}

/**
 * A Markdown table. Each cell has the figures without and with batching, and the factor by which batching is better
 * with its 95 % interval.
 */
export function toTable(checked: readonly CheckedVerdict[]): string {
  const head = ["model", "callers", "by", "verdict", ...MEASURES, "agrees", "load"];
  const rows = checked.flatMap((one) => [
    [one.model.name, String(one.model.callers), "page", ...cells(one.page), "", one.machineLoad.toFixed(1)],
    ["", "", "bench", ...cells(one.bench), agreement(one), ""],
  ]);
  return [head, head.map(() => "---"), ...rows].map((cellsOfRow) => `| ${cellsOfRow.join(" | ")} |`).join("\n");
}

/** "10 of 12 verdicts agree, and 1 is near the border of two answers. No "Yes" hides a loss." */
export function summarise(checked: readonly CheckedVerdict[]): string {
  const near = checked.filter(isNearBorder).length;
  const besides = near === 0 ? "" : `, and ${near} ${near === 1 ? "is" : "are"} near the border of two answers`;
  const agreeing = `${checked.filter(agrees).length} of ${checked.length} verdicts agree${besides}.`;
  const hiding = checked.filter((one) => hiddenLosses(one).length > 0).map(({ model }) => model.name);
  const losses = hiding.length === 0 ? 'No "Yes" hides a loss.' : `"Yes" hides a loss: ${hiding.join(", ")}.`;
  return `${agreeing} ${losses}`;
}

function cells({ verdict, gains }: Judged): string[] {
  return [
    verdict.answer,
    ...MEASURES.map((measure) => {
      const { single, batched, factor } = gains[measure];
      const figures = `${formatFigure(measure, single)} → ${formatFigure(measure, batched)}`;
      return `${figures}, ${formatFactor(factor.value)} (${formatRange(factor)}): ${verdict.effects[measure]}`;
    }),
  ];
}

function agreement(one: CheckedVerdict): string {
  const losses = hiddenLosses(one);
  if (losses.length > 0) return `hides a loss: ${losses.join(", ")}`;
  if (isNearBorder(one)) return "near the border";
  return agrees(one) ? "yes" : "no";
}

function overlap(a: Ratio, b: Ratio): boolean {
  return a.low <= b.high && b.low <= a.high;
}
