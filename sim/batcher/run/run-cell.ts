import type { Cell } from "../model/cells.js";
import { EventLoop } from "./event-loop.js";
import { Ledger } from "./ledger.js";
import type { Policy, RunningPolicy } from "../policy.js";
import { NO_PAGE } from "../model/costs.js";
import { createRandom, type Random, streamSeed } from "../model/random.js";
import type { Row } from "./row.js";
import { REFERENCE_EXTENTS, SimRequest } from "./sim-request.js";
import { VirtualFrames } from "./virtual-frames.js";
import { VirtualWorker } from "./virtual-worker.js";

/** The objective for `goodShare` in cells that set none. */
const INFORMAL_OBJECTIVE_MS = 200;
/** The minimum time after the last arrival in which open requests may still be answered. */
const DRAIN_MS = 1000;

/** Runs one policy in one cell. With the same cell, noise and seed, every policy gets the same requests. */
export function runCell(cell: Cell, noise: number, seed: number, name: string, policy: Policy): Row {
  const loop = new EventLoop();
  const frames = new VirtualFrames(loop);
  const span = { fromMs: cell.warmupMs, toMs: cell.horizonMs };
  const ledger = new Ledger(loop, frames, span, cell.objectiveMs ?? INFORMAL_OBJECTIVE_MS);
  const stream = (part: string): Random => createRandom(streamSeed(seed, part));
  const worker = new VirtualWorker(loop, cell.cost, { share: noise, seed: streamSeed(seed, "noise") }, span);
  const running = policy({
    clock: loop,
    frames,
    engine: worker,
    maxBatchSize: cell.maxBatchSize,
    objectiveMs: cell.objectiveMs,
    isRagged: cell.extentsOf !== undefined,
    messageMs: cell.cost.messageMs ?? 0,
    warmUpMs: warmUp(cell, noise, stream("warm-up")),
    random: stream("policy"),
  });
  let idleWakeUps = 0;
  loop.onTimer = () => {
    if (ledger.open === 0 && worker.isIdle()) idleWakeUps++;
  };
  if (cell.visibility) alternate(loop, frames, cell.visibility, cell.horizonMs);
  cell.start({
    loop,
    random: stream("arrivals"),
    untilMs: cell.horizonMs,
    offer: offering(cell, loop, ledger, stream("items"), running),
  });
  loop.run(cell.horizonMs);
  while (ledger.open > 0 && loop.step(endMs(cell)));
  running.stop();
  ledger.close();
  return {
    cost: cell.cost.name,
    arrivals: cell.arrivals,
    noise,
    seed,
    policy: name,
    ...measure(cell, loop, ledger, worker),
    idleWakeUps,
  };
}

/** Returns the time at which a run of a cell ends, whatever is open, in milliseconds. */
export function endMs({ horizonMs, cost, maxBatchSize }: Cell): number {
  return horizonMs + Math.max(DRAIN_MS, 2 * cost.ms(maxBatchSize));
}

function warmUp({ cost }: Cell, noise: number, random: Random): (rows: number) => number {
  const { messageMs = 0, page = NO_PAGE } = cost;
  const outsideMs = messageMs + page.workerMs + 2 * page.messageMs;
  return (rows) => cost.ms(rows) * (1 + noise * (2 * random() - 1)) + outsideMs;
}

function offering(
  cell: Cell,
  loop: EventLoop,
  ledger: Ledger,
  random: Random,
  policy: RunningPolicy,
): (onSettled?: () => void) => void {
  let count = 0;
  const { callMs } = cell.cost.page ?? NO_PAGE;
  return (onSettled) => {
    const extents = cell.extentsOf?.(random) ?? REFERENCE_EXTENTS;
    const request = new SimRequest(ledger, count++, loop.now(), extents, cell.priorityOf?.(random) ?? "user-visible");
    request.onSettled = onSettled ?? null;
    ledger.arrived(request);
    loop.jump(callMs);
    policy.enqueue(request, request);
  };
}

function alternate(
  loop: EventLoop,
  frames: VirtualFrames,
  { visibleMs, hiddenMs }: { visibleMs: number; hiddenMs: number },
  untilMs: number,
): void {
  const flip = (atMs: number, visible: boolean): void => {
    loop.at(atMs, () => frames.setVisible(visible));
  };
  for (let atMs = visibleMs; atMs < untilMs; atMs += visibleMs + hiddenMs) {
    flip(atMs, false);
    flip(atMs + hiddenMs, true);
  }
}

function measure(
  cell: Cell,
  loop: EventLoop,
  ledger: Ledger,
  worker: VirtualWorker,
): Omit<Row, "cost" | "arrivals" | "noise" | "seed" | "policy" | "idleWakeUps"> {
  const spanMs = cell.horizonMs - cell.warmupMs;
  const latencies = Float64Array.from(ledger.latenciesMs).sort();
  const background = Float64Array.from(ledger.backgroundLatenciesMs).sort();
  const refusals = Float64Array.from(ledger.refusalsMs).sort();
  return {
    meanMs: mean(latencies),
    firstAnswerMs: mean([...ledger.firstAnswersMs.values()]),
    p50Ms: quantile(latencies, 0.5),
    p95Ms: quantile(latencies, 0.95),
    p99Ms: quantile(latencies, 0.99),
    backgroundP99Ms: background.length > 0 ? quantile(background, 0.99) : null,
    // Capped, so that work on a backlog from the warm-up does not count as throughput.
    throughputPerSec: (1000 * Math.min(ledger.answersInSpan, ledger.offered)) / spanMs,
    framesToPaint: ledger.framesSum / Math.max(1, ledger.framesCount),
    busyShare: worker.busyMs / spanMs,
    deviceMsPerRequest: worker.busyMs / Math.max(1, ledger.answersInSpan),
    goodShare: ledger.good / Math.max(1, ledger.offered),
    answeredShare: ledger.completed / Math.max(1, ledger.offered),
    refusalP50Ms: refusals.length > 0 ? quantile(refusals, 0.5) : null,
    runs: worker.runs,
    meanBatchSize: worker.rows / Math.max(1, worker.runs),
    paddingWaste: 1 - worker.volume / Math.max(1, worker.paddedVolume),
    wakeUps: loop.timersFired,
    offered: ledger.offered,
    completed: ledger.completed,
    refused: ledger.refusalsMs.length,
  };
}

function mean(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
