import type { Priority } from "@framebatch/batcher/queue/request.js";
import {
  type Arrivals,
  closedLoop,
  frameBursts,
  isolatedBursts,
  onOff,
  poisson,
  rareBursts,
  scattered,
} from "./arrivals.js";
import { capacityPerMs, type Cost, COSTS, MESSAGE_COSTS, usualRunMs } from "./costs.js";
import type { Random } from "./random.js";
import { FRAME_MS } from "../run/virtual-frames.js";

/** One scenario of the table: a cost function, an arrival pattern, and the measured time span. */
export interface Cell {
  readonly cost: Cost;
  /** The pattern's name. It contains "overload" or "objective" if there is an objective to meet. */
  readonly arrivals: string;
  readonly start: Arrivals;
  readonly maxBatchSize: number;
  readonly objectiveMs?: number;
  /** Requests that arrive before this time are not measured. */
  readonly warmupMs: number;
  /** Arrivals and the measurement end at this time. */
  readonly horizonMs: number;
  readonly extentsOf?: (random: Random) => readonly number[];
  readonly priorityOf?: (random: Random) => Priority;
  /** The tab is visible and hidden in turn, for these times. */
  readonly visibility?: { readonly visibleMs: number; readonly hiddenMs: number };
}

const MAX_BATCH_SIZE = 64;
/** The size in the published prototypes that the overload cells are compared with. */
const OVERLOAD_MAX_BATCH_SIZE = 32;
const OBJECTIVE_MS = 200;
const SHORTEST_LENGTH = 8;
const LONGEST_LENGTH = 512;

/** Overload is measured from the first request on, as in the published prototypes, so the speed of learning counts. */
const OVERLOAD_REQUESTS = 15_000;
const SHORTEST_OVERLOAD_MS = 2000;
const LONGEST_OVERLOAD_MS = 20_000;

const ISOLATED_BURSTS = 60;
const ISOLATED_WARMUP_BURSTS = 20;
/** Shifts each burst to a different position within its frame than the previous burst. */
const ISOLATED_PHASE_MS = FRAME_MS / 16;

const BURST_SIZE = 256;
const BURSTS = 12;
const BURST_PAUSE_MS = 1000;

/** The number of requests to measure, within the minimum and maximum span below. */
const WANTED_REQUESTS = 3000;
const SHORTEST_SPAN_MS = 3000;
const LONGEST_SPAN_MS = 90_000;
const WARMUP_RUNS = 40;
const SHORTEST_WARMUP_MS = 1000;
const LONGEST_WARMUP_MS = 10_000;

/** Returns every cell of the table in display order. */
export function allCells(): Cell[] {
  return [...COSTS.flatMap(mainCells), ...[...COSTS, ...MESSAGE_COSTS].flatMap(isolatedBurstCells)];
}

function mainCells(cost: Cost): Cell[] {
  return [
    ...[1, 4, 16, 64, 256].map((callers) => closedCell(cost, callers)),
    ...[1, 4, 16, 64].map((count) => cell(cost, `frame burst ${count}`, frameBursts(count), count / FRAME_MS)),
    ...[1, 4, 16, 64].map((count) => cell(cost, `scattered ${count}`, scattered(count), count / FRAME_MS)),
    ...[30, 70, 90].map((percent) => poissonCell(cost, percent)),
    onOffCell(cost),
    ...[1.3, 2].map((times) => overloadCell(cost, times)),
    burstCell(cost),
    { ...poissonCell(cost, 20), arrivals: "mixed lengths", extentsOf: mixedLength },
    { ...poissonCell(cost, 70), arrivals: "mixed priorities", priorityOf: mixedPriority },
    { ...poissonCell(cost, 30), arrivals: "hidden spells", visibility: { visibleMs: 1250, hiddenMs: 750 } },
  ];
}

/** Bursts made in one task, each long after the previous burst is answered; and the very first burst of a page. */
function isolatedBurstCells(cost: Cost): Cell[] {
  const cells = [4, 16, 64].map((count) => isolatedBurstCell(cost, count));
  const first = isolatedBurstCell(cost, 16);
  return [...cells, { ...first, arrivals: "isolated burst 16, the first", warmupMs: 0, horizonMs: 1 }];
}

export function isolatedBurstCell(cost: Cost, count: number): Cell {
  const workMs = count * cost.ms(1) + (cost.messageMs ?? 0);
  const everyMs = FRAME_MS * (Math.ceil((1.5 * workMs) / FRAME_MS) + 1) + ISOLATED_PHASE_MS;
  const warmupMs = ISOLATED_WARMUP_BURSTS * everyMs;
  return {
    cost,
    arrivals: `isolated burst ${count}`,
    start: isolatedBursts(count, everyMs),
    maxBatchSize: MAX_BATCH_SIZE,
    warmupMs,
    horizonMs: warmupMs + ISOLATED_BURSTS * everyMs,
  };
}

/** Creates a cell whose span is long enough for stable figures. */
export function cell(
  cost: Cost,
  arrivals: string,
  start: Arrivals,
  perMs: number,
  maxBatchSize = MAX_BATCH_SIZE,
): Cell {
  const warmupMs = clamp(WARMUP_RUNS * usualRunMs(cost, maxBatchSize), SHORTEST_WARMUP_MS, LONGEST_WARMUP_MS);
  const servedPerMs = Math.min(perMs, capacityPerMs(cost, maxBatchSize));
  const spanMs = clamp(WANTED_REQUESTS / servedPerMs, SHORTEST_SPAN_MS, LONGEST_SPAN_MS);
  return { cost, arrivals, start, maxBatchSize, warmupMs, horizonMs: warmupMs + spanMs };
}

export function closedCell(cost: Cost, callers: number): Cell {
  const size = Math.min(callers, MAX_BATCH_SIZE);
  return cell(cost, `closed ${callers}`, closedLoop(callers), size / cost.ms(size));
}

function poissonCell(cost: Cost, percent: number): Cell {
  const perMs = (capacityPerMs(cost, MAX_BATCH_SIZE) * percent) / 100;
  return cell(cost, `poisson ${percent}%`, poisson(perMs), perMs);
}

/** Alternates between 1.2 times the capacity, for at least 250 ms and 40 requests, and pauses of the same length. */
function onOffCell(cost: Cost): Cell {
  const perMs = 1.2 * capacityPerMs(cost, MAX_BATCH_SIZE);
  const spellMs = Math.max(250, 40 / perMs);
  return cell(cost, "on-off bursts", onOff(perMs, spellMs, spellMs), perMs / 2);
}

function overloadCell(cost: Cost, times: number): Cell {
  const perMs = times * capacityPerMs(cost, OVERLOAD_MAX_BATCH_SIZE);
  const base = cell(cost, `overload ${times}x`, poisson(perMs), perMs, OVERLOAD_MAX_BATCH_SIZE);
  const horizonMs = clamp(OVERLOAD_REQUESTS / perMs, SHORTEST_OVERLOAD_MS, LONGEST_OVERLOAD_MS);
  return { ...base, objectiveMs: OBJECTIVE_MS, warmupMs: 0, horizonMs };
}

/** Every burst reaches a device that is idle under every policy. Several bursts reduce the effect of chance. */
function burstCell(cost: Cost): Cell {
  const perMs = 0.3 * capacityPerMs(cost, OVERLOAD_MAX_BATCH_SIZE);
  const base = cell(cost, `burst ${BURST_SIZE} objective`, () => {}, perMs, OVERLOAD_MAX_BATCH_SIZE);
  const everyMs = BURST_SIZE * cost.ms(1) + BURST_PAUSE_MS;
  const warmupMs = base.warmupMs + BURST_PAUSE_MS;
  const start = rareBursts(BURST_SIZE, perMs, base.warmupMs, warmupMs, everyMs);
  return { ...base, start, objectiveMs: OBJECTIVE_MS, warmupMs, horizonMs: warmupMs + BURSTS * everyMs };
}

/** Uniform on a logarithmic scale: as many lengths between 8 and 16 as between 256 and 512. */
export function mixedLength(random: Random): readonly number[] {
  return [Math.round(SHORTEST_LENGTH * (LONGEST_LENGTH / SHORTEST_LENGTH) ** random())];
}

function mixedPriority(random: Random): Priority {
  const draw = random();
  if (draw < 0.2) return "user-blocking";
  return draw < 0.7 ? "user-visible" : "background";
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
