import type { Priority } from "@framebatch/batcher/queue/priority.js";
import type { Random } from "../batcher/model/random.js";
import { PartDraw } from "./part-draw.js";

/** A step of a random pipeline. */
export type StepShape = StageShape | SplitShape;

/** A stage: a function that answers at once or later, a real batcher, or a pipeline of its own. */
export type StageShape =
  | { readonly kind: "sync" }
  | { readonly kind: "async"; readonly meanMs: number }
  | { readonly kind: "batched"; readonly batcher: BatcherShape }
  | { readonly kind: "inner"; readonly steps: readonly StepShape[] };

export interface BatcherShape {
  readonly release: "idle" | "frame" | "window";
  readonly maxBatchSize: number;
  readonly maxQueueSize: number | undefined;
  readonly maxLatencyMs: number | undefined;
  readonly fixedMs: number;
  readonly perRowMs: number;
  /** How often callers outside the pipeline make a request, for each event of the scenario. */
  readonly competition: number;
}

/** A split into up to `maxParts` parts, the steps of each part, and the collect. */
export interface SplitShape {
  readonly kind: "split";
  readonly maxParts: number;
  readonly source: "list" | "generator" | "promise" | "async" | "hostile";
  readonly steps: readonly StepShape[];
  readonly isCollectAsync: boolean;
}

/** Callers of `run`. */
export interface CallerShape {
  readonly runs: number;
  readonly meanGapMs: number;
  readonly burst: number;
  readonly keyRate: number;
  readonly timeoutRate: number;
  readonly abortRate: number;
}

/** A caller of `runStream`. */
export interface StreamShape {
  readonly items: number;
  readonly source: "list" | "async" | "hostile";
  /** Mean time until an async source has its next item. */
  readonly sourceGapMs: number;
  /** Mean time that the reader takes for each result. */
  readonly readerMs: number;
  readonly end: "source" | "break" | "abort" | "throw";
  readonly timeoutMs: number | undefined;
  readonly priority: Priority | undefined;
}

/** Everything about one random run that is decided before it starts. Rates are probabilities between 0 and 1. */
export interface PipelineScenario {
  readonly steps: readonly StepShape[];
  readonly callers: CallerShape;
  readonly streams: readonly StreamShape[];
  /** How often a part fails, each time that it is tried, and always. */
  readonly failRate: number;
  readonly poisonRate: number;
  /** How often a whole batch fails, and may succeed when it is divided. */
  readonly batchFailRate: number;
  /** How often a function of the caller aborts the run that calls it, while it is being called. */
  readonly selfAbortRate: number;
  readonly isDisposed: boolean;
  readonly resets: boolean;
}

const MAX_DEPTH = 2;
const FLAT_KINDS = ["sync", "async", "batched"] as const;
const ALL_KINDS = [...FLAT_KINDS, "split", "split", "inner"] as const;

/** Draws a scenario. Faults are absent from half of the runs. */
export function drawPipelineScenario(random: Random): PipelineScenario {
  const draw = new PartDraw(random);
  const faults = draw.chance(0.5) ? 1 : 0;
  const size = draw.chance(0.05) ? 30 : 6;
  const streams = Array.from({ length: Math.max(0, draw.integer(-1, 2)) }, () => drawStream(draw, size));
  return {
    steps: drawSteps(draw, 0, size),
    callers: drawCallers(draw),
    streams,
    failRate: faults * draw.rate(0.05),
    poisonRate: faults * draw.rate(0.05),
    batchFailRate: faults * draw.rate(0.2),
    selfAbortRate: faults * draw.rate(0.1),
    isDisposed: draw.chance(0.1),
    resets: draw.chance(0.2),
  };
}

function drawSteps(draw: PartDraw, depth: number, size: number): StepShape[] {
  return Array.from({ length: draw.integer(depth === 0 ? 1 : 0, 3) }, () => drawStep(draw, depth, size));
}

/** @param size the most parts of an item */
function drawStep(draw: PartDraw, depth: number, size: number): StepShape {
  const kind = draw.oneOf(depth < MAX_DEPTH ? ALL_KINDS : FLAT_KINDS);
  switch (kind) {
    case "sync":
      return { kind };
    case "async":
      return { kind, meanMs: draw.upTo(20) };
    case "batched":
      return { kind, batcher: drawBatcher(draw) };
    case "inner":
      return { kind, steps: drawSteps(draw, depth + 1, size) };
    case "split":
      return {
        kind,
        maxParts: draw.integer(0, depth === 0 ? size : 3),
        source: draw.oneOf(["list", "generator", "promise", "async", "hostile"]),
        steps: drawSteps(draw, depth + 1, size),
        isCollectAsync: draw.chance(0.3),
      };
  }
}

function drawBatcher(draw: PartDraw): BatcherShape {
  return {
    release: draw.oneOf(["idle", "frame", "window"]),
    maxBatchSize: draw.integer(1, 8),
    maxQueueSize: draw.chance(0.4) ? draw.integer(1, 12) : undefined,
    maxLatencyMs: draw.chance(0.1) ? draw.integer(20, 300) : undefined,
    fixedMs: draw.upTo(10),
    perRowMs: draw.upTo(2),
    competition: draw.rate(0.3),
  };
}

function drawCallers(draw: PartDraw): CallerShape {
  return {
    runs: draw.integer(0, 8),
    meanGapMs: 10 ** (draw.upTo(2) - 0.5),
    burst: draw.integer(1, 4),
    keyRate: draw.rate(0.6),
    timeoutRate: draw.rate(0.5),
    abortRate: draw.rate(0.4),
  };
}

/** @param size half of the most items */
function drawStream(draw: PartDraw, size: number): StreamShape {
  return {
    items: draw.integer(0, 2 * size),
    source: draw.oneOf(["list", "async", "hostile"]),
    sourceGapMs: draw.rate(10),
    readerMs: draw.rate(20),
    end: draw.oneOf(["source", "source", "break", "abort", "throw"]),
    timeoutMs: draw.chance(0.2) ? 20 + draw.upTo(300) : undefined,
    priority: draw.chance(0.3) ? draw.oneOf(["background", "user-blocking"]) : undefined,
  };
}
