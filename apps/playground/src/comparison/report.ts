import type { ModelOptions } from "framebatch";
import type { Comparison, LaneSummary } from "../measure/compare.js";
import { describeComparison, findingOf } from "../measure/verdict.js";

/** The fields of a report in addition to the comparison. */
export interface ReportContext {
  readonly atIso: string;
  /** The URL of the page, with all settings. */
  readonly page: string;
  readonly userAgent: string;
  readonly cores: number;
  readonly model: string;
  readonly options: ModelOptions;
}

/** Converts a comparison to JSON data: all figures of the page, with units in their names. */
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

/** Omits the individual latencies, which may be millions. */
function toData({ waits, ...summary }: LaneSummary): object {
  const { count, p50, p95, p99 } = waits;
  return { ...summary, waits: { count, p50, p95, p99 } };
}
