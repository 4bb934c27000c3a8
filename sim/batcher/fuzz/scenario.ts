import type { BatcherConfig } from "@framebatch/batcher/batcher/batcher-config.js";
import { Draw } from "../model/draw.js";
import type { Random } from "../model/random.js";

type Release = BatcherConfig<unknown, unknown>["release"];

/** Everything about one random run that is decided before it starts. Rates are probabilities between 0 and 1. */
export interface Scenario {
  readonly batcher: {
    readonly release: Release;
    readonly maxBatchSize: number;
    readonly allowedBatchSizes: readonly number[] | undefined;
    readonly maxQueueDelayMs: number;
    readonly maxLatencyMs: number | undefined;
    readonly maxQueueSize: number | undefined;
    readonly dedupe: boolean;
    readonly resultCacheSize: number;
    readonly engines: number;
    readonly handoverMs: number;
  };
  readonly items: {
    readonly groups: number;
    /** Whether items differ in length. */
    readonly isRagged: boolean;
    /** The number of different contents; fewer than requests where identical inputs matter. */
    readonly contents: number;
    readonly poisonRate: number;
  };
  readonly culprits: {
    /** Whether the engine says that a run with a poisonous item would fail again. */
    readonly isRepeatable: boolean;
    /** The share of poisonous items that are aborted while a part of their failed batch runs. */
    readonly abortRate: number;
  };
  /** How often the functions that the batcher calls throw: clock, frames, engine, callbacks, sinks. */
  readonly throwRate: number;
  readonly engine: {
    readonly fixedMs: number;
    readonly perRowMs: number;
    readonly noise: number;
    /** A whole batch fails, and may succeed when it runs again. */
    readonly failRate: number;
    /** The engine reports that no part of the batch can succeed. */
    readonly fatalRate: number;
    readonly wrongLengthRate: number;
    readonly itemErrorRate: number;
    /** A run takes ten times as long. */
    readonly slowRate: number;
    /** A run takes a minute longer. */
    readonly hangRate: number;
  };
  readonly traffic: {
    readonly requests: number;
    readonly meanGapMs: number;
    readonly largestBurst: number;
    readonly keyRate: number;
    readonly timeoutRate: number;
    readonly abortRate: number;
    readonly moveRate: number;
    /** The share of requests that are not "user-visible". */
    readonly priorityRate: number;
    /** The share of callers that make another request as soon as theirs settles. */
    readonly returnRate: number;
  };
  readonly page: {
    readonly flipRate: number;
    readonly jumpRate: number;
    readonly flushRate: number;
    readonly pauseRate: number;
    /** Whether the batcher is disposed after half of the requests. */
    readonly isDisposed: boolean;
  };
}

const RULES: readonly Release[] = ["frame", "frame", "idle", "idle", "window", "off"];

/**
 * Draws a scenario. Each rate is zero in half of the runs, so that some runs are calm and others are full of faults.
 */
export function drawScenario(random: Random): Scenario {
  const draw = new ScenarioDraw(random);
  return { ...drawLoad(draw), culprits: { isRepeatable: draw.chance(0.5), abortRate: draw.rate(1) } };
}

type Load = Omit<Scenario, "culprits">;

function drawLoad(draw: ScenarioDraw): Load {
  const requests = draw.integer(20, draw.chance(0.1) ? 100 : 40);
  const faults = draw.chance(0.5) ? 1 : 0;
  const scenario = {
    batcher: drawBatcher(draw),
    items: drawItems(draw, requests, faults),
    engine: drawEngine(draw, faults),
    traffic: drawTraffic(draw, requests),
    page: drawPage(draw),
    throwRate: 0,
  };
  if (draw.chance(0.1)) return { ...scenario, throwRate: draw.upTo(0.05) };
  if (draw.chance(0.04)) return starving(scenario, draw);
  return draw.chance(0.05) ? typing(scenario, draw) : scenario;
}

function drawBatcher(draw: ScenarioDraw): Scenario["batcher"] {
  const maxBatchSize = draw.integer(1, draw.chance(0.5) ? 4 : 16);
  const sizes = [...new Set([1, maxBatchSize >> 1, maxBatchSize])].filter((size) => size > 0);
  return {
    release: RULES[draw.integer(0, RULES.length - 1)] ?? "idle",
    maxBatchSize,
    allowedBatchSizes: draw.chance(0.2) ? sizes : undefined,
    maxQueueDelayMs: draw.integer(0, 30),
    maxLatencyMs: draw.chance(0.2) ? draw.integer(20, 300) : undefined,
    maxQueueSize: draw.chance(0.3) ? draw.integer(1, 12) : undefined,
    dedupe: draw.chance(0.2),
    resultCacheSize: draw.chance(0.1) ? draw.integer(1, 8) : 0,
    engines: draw.chance(0.15) ? 2 : 1,
    handoverMs: draw.chance(0.3) ? draw.upTo(1) : 0,
  };
}

function drawItems(draw: ScenarioDraw, requests: number, faults: number): Scenario["items"] {
  return {
    groups: draw.chance(0.2) ? 3 : 1,
    isRagged: draw.chance(0.2),
    contents: draw.chance(0.3) ? 6 : requests,
    poisonRate: faults * draw.rate(0.2),
  };
}

function drawEngine(draw: ScenarioDraw, faults: number): Scenario["engine"] {
  return {
    fixedMs: draw.upTo(12),
    perRowMs: 2 * draw.upTo(1) ** 2,
    noise: draw.rate(0.3),
    failRate: faults * draw.rate(0.2),
    fatalRate: faults * draw.rate(0.1),
    wrongLengthRate: faults * draw.rate(0.1),
    itemErrorRate: faults * draw.rate(0.1),
    slowRate: draw.rate(0.1),
    hangRate: draw.chance(0.8) ? 0 : draw.upTo(0.2),
  };
}

function drawTraffic(draw: ScenarioDraw, requests: number): Scenario["traffic"] {
  return {
    requests,
    meanGapMs: 10 ** (draw.upTo(2) - 0.5),
    largestBurst: draw.chance(0.5) ? 1 : draw.integer(2, 12),
    keyRate: draw.rate(0.5),
    timeoutRate: draw.rate(0.5),
    abortRate: draw.rate(0.4),
    moveRate: draw.rate(0.3),
    priorityRate: draw.rate(1),
    returnRate: draw.rate(0.7),
  };
}

function drawPage(draw: ScenarioDraw): Scenario["page"] {
  return {
    flipRate: draw.rate(0.05),
    jumpRate: draw.chance(0.7) ? 0 : draw.upTo(0.03),
    flushRate: draw.rate(0.05),
    pauseRate: draw.rate(0.03),
    isDisposed: draw.chance(0.1),
  };
}

/** More urgent requests than a slow engine can serve, for long enough that requests of lower priorities become aged. */
function starving(scenario: Load, draw: ScenarioDraw): Load {
  const requests = 160;
  return {
    ...scenario,
    batcher: {
      ...scenario.batcher,
      release: draw.chance(0.5) ? "frame" : "idle",
      maxBatchSize: draw.integer(1, 2),
      allowedBatchSizes: undefined,
      maxLatencyMs: undefined,
      maxQueueSize: undefined,
      dedupe: false,
      resultCacheSize: 0,
    },
    items: { ...scenario.items, groups: 1, isRagged: false, contents: requests },
    engine: { ...scenario.engine, fixedMs: 60, perRowMs: 5 },
    traffic: { ...scenario.traffic, requests, meanGapMs: 15, largestBurst: 1, moveRate: 0, priorityRate: 0.8 },
  };
}

/** Urgent requests beside bursts of background requests, on an engine that takes exactly as long as predicted. */
function typing(scenario: Load, draw: ScenarioDraw): Load {
  const requests = 100;
  const calm = { failRate: 0, fatalRate: 0, wrongLengthRate: 0, itemErrorRate: 0, slowRate: 0, hangRate: 0, noise: 0 };
  return {
    batcher: {
      ...scenario.batcher,
      release: draw.chance(0.3) ? "window" : draw.chance(0.5) ? "frame" : "idle",
      maxBatchSize: 16,
      allowedBatchSizes: undefined,
      maxLatencyMs: undefined,
      maxQueueSize: undefined,
      dedupe: false,
      resultCacheSize: 0,
      engines: 1,
    },
    items: { groups: 1, isRagged: false, contents: requests, poisonRate: 0 },
    engine: { fixedMs: draw.upTo(4), perRowMs: draw.upTo(8), ...calm },
    traffic: { ...scenario.traffic, requests, meanGapMs: 60, largestBurst: 12, moveRate: 0, priorityRate: 1 },
    page: { flipRate: 0, jumpRate: 0, flushRate: 0, pauseRate: 0, isDisposed: false },
    throwRate: 0,
  };
}

/** Draws the parameters of a scenario. */
class ScenarioDraw extends Draw {
  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** Zero in half of the cases. */
  rate(most: number): number {
    return this.chance(0.5) ? 0 : this.upTo(most);
  }
}
