import type { ModelOptions } from "framebatch";
import type { Comparison, LaneSummary } from "../measure/compare.js";
import { describeComparison, findingOf } from "../measure/verdict.js";

/** What a report says beside its comparison. */
export interface ReportContext {
  readonly atIso: string;
  /** The page with all its settings. */
  readonly page: string;
  readonly userAgent: string;
  readonly cores: number;
  readonly model: string;
  readonly options: ModelOptions;
}

/** A comparison as data for a file: every figure of the page, with its unit in its name. */
export function comparisonReport(comparison: Comparison, { model, options, ...context }: ReportContext): object {
  const { load, ratio, slices, batched, single, framePeriodMs } = comparison;
  return {
    format: "framebatch playground comparison",
    version: 1,
    ...context,
    framePeriodMs,
    verdict: { finding: findingOf(comparison), sentence: describeComparison(comparison) },
    model,
    options,
    load: { callers: load.callers, pace: load.pace },
    throughputRatio: { value: ratio.value, low95: ratio.low, high95: ratio.high },
    lanes: { batched: toData(batched), single: toData(single) },
    slices,
  };
}

/** Without the single waits, which may be millions. */
function toData({ waits, ...summary }: LaneSummary): object {
  const { count, p50, p95, p99 } = waits;
  return { ...summary, waits: { count, p50, p95, p99 } };
}
