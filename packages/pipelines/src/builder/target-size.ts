import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";

/**
 * Returns the batch size with the best rate for a stage, as its statistics report it: that of a model or a `batched`
 * function, or that of the widest stage of a pipeline. Returns 1 for a stage without statistics, or if they fail or make
 * no sense: any wrapper may have a method of this name.
 */
export function targetSizeOf(stage: unknown): number {
  try {
    const size = hasStats(stage) ? sizeIn(stage.stats()) : 1;
    return Number.isFinite(size) ? Math.max(1, size) : 1;
  } catch {
    return 1;
  }
}

function hasStats(stage: unknown): stage is { stats(): unknown } {
  const isObject = (typeof stage === "object" && stage !== null) || typeof stage === "function";
  return isObject && "stats" in stage && typeof stage.stats === "function";
}

function sizeIn(stats: unknown): number {
  if (!isOptionsObject(stats)) return 1;
  const { cost, stages } = stats;
  if (Array.isArray(stages)) return Math.max(...stages.map(({ slots }) => Number(slots) / 2));
  return isOptionsObject(cost) && typeof cost["targetSize"] === "number" ? cost["targetSize"] : 1;
}
