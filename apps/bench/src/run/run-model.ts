import { makeItems } from "../items.js";
import type { BenchItem } from "../ort/tensors.js";
import { closedLoop } from "../loads/closed-loop.js";
import type { Load } from "../loads/load.js";
import type { GroupName, Site } from "../results.js";
import type { RunSpec } from "../spec.js";
import { median } from "../statistics/quantile.js";
import type { Random } from "../statistics/random.js";
import { NO_TIME_LEFT, type Budget } from "./budget.js";
import { groupMs, openingMs } from "./estimate.js";
import { measureSlice, type Instruments } from "./measure-slice.js";
import type { Measurements } from "./measurements.js";
import { closeLanes, openLanes, slowestCallMs, type OpenedLanes } from "./opened-lanes.js";
import type { PlannedGroup, PlannedModel } from "./plan.js";
import { runRounds } from "./rounds.js";

const ITEMS = 256;

/**
 * Number of slices that measure the capacity of a model. The first one is a warm-up; the median of three tolerates it.
 */
const CAPACITY_SLICES = 3;

/** If waiting for all open calls would take longer than this, in ms, they are withdrawn at the end of a slice. */
const LONGEST_RUN_OUT_MS = 1000;

/** The shared state of a run. */
export interface RunContext {
  readonly spec: RunSpec;
  readonly site: Site;
  readonly budget: Budget;
  readonly instruments: Instruments;
  readonly measurements: Measurements;
  readonly random: Random;
  readonly say: (text: string) => void;
}

/** Opens each lane of a model once, applies all loads to them in turn, and closes them. */
export async function runModel(planned: PlannedModel, context: RunContext): Promise<void> {
  const { spec, budget, random, say } = context;
  budget.skip(openingMs(planned, spec.backend));
  if (budget.isSpent()) {
    for (const group of planned.groups) leaveOut(planned, group, context);
    return;
  }
  say(`${planned.model.name} on ${spec.backend}: loading`);
  if (!(await isThere(planned.model.url))) {
    for (const group of planned.groups) leaveOut(planned, group, context, `there is no ${planned.model.url}`);
    return;
  }
  const items = makeItems(planned.model, ITEMS, random);
  const lanes = [...new Set(planned.groups.flatMap((group) => group.lanes))];
  const { memory } = context.instruments;
  const limits = { isSpent: () => budget.isSpent(), memory };
  const opened = await openLanes(lanes, planned.model, spec.backend, items, limits);
  const callMs = await slowestCallMs(opened.open.values(), items[0] ?? {});
  const capacityPerSec = await capacityOf(planned, opened, items, context);
  for (const group of planned.groups) {
    // An open loop uses a rate that the model can serve, whatever the duration of a call.
    const neededMs = group.load.needsCapacity ? 0 : needMs(group.load, callMs);
    if (budget.isSpent()) leaveOut(planned, group, context);
    else if (spec.only === "" && neededMs > spec.longestNeedMs) leaveOut(planned, group, context, tooSlow(neededMs));
    else await runGroup(planned, group, opened, { items, callMs, capacityPerSec }, context);
  }
  await addAfterwards(planned, opened, context);
  await closeLanes(opened);
}

/** Adds the results that are available after all loads. */
async function addAfterwards(
  { model }: PlannedModel,
  { open, addedBytes }: OpenedLanes,
  { spec: { backend }, site, measurements, instruments: { memory } }: RunContext,
): Promise<void> {
  for (const [name, lane] of open) {
    const cell = { model: model.name, backend, site, lane: name };
    const curve = lane.kind === "called" ? lane.curve() : null;
    if (curve !== null) measurements.addCurve({ ...cell, ...curve });
    const wasmBytes = (await lane.wasmBytes?.()) ?? null;
    const hasWorkers = memory?.hasWorkers ?? false;
    measurements.addMemory({ ...cell, addedBytes: addedBytes.get(name) ?? null, hasWorkers, wasmBytes });
  }
}

/** The shared parameters of the groups of a model. */
interface GroupSetup {
  readonly items: readonly BenchItem[];
  /** Duration of one call on the slowest lane, in ms. */
  readonly callMs: number;
  readonly capacityPerSec: number;
}

/**
 * Measures the throughput of the first lane with 256 callers, if a load needs it. All lanes use the same rate, so that
 * they are comparable.
 */
async function capacityOf(
  { groups }: PlannedModel,
  { open }: OpenedLanes,
  items: readonly BenchItem[],
  { spec, instruments, random }: RunContext,
): Promise<number> {
  const [lane] = open.values();
  if (lane === undefined || !groups.some(({ load }) => load.needsCapacity)) return 0;
  const times = { sliceMs: spec.sliceMs, longestSliceMs: spec.longestSliceMs, cutShort: false };
  const rates: number[] = [];
  for (let slice = 0; slice < CAPACITY_SLICES; slice++) {
    const setup = { items, times, capacityPerSec: 0, random };
    rates.push((await measureSlice(lane, closedLoop(256), setup, instruments)).throughputPerSec);
  }
  return median(rates);
}

async function runGroup(
  planned: PlannedModel,
  group: PlannedGroup,
  opened: OpenedLanes,
  { items, callMs, capacityPerSec }: GroupSetup,
  { spec, site, budget, instruments, measurements, random, say }: RunContext,
): Promise<void> {
  const { load } = group;
  const name: GroupName = { model: planned.model.name, backend: spec.backend, site, load: load.name };
  say(`${name.model} on ${name.backend}: ${name.load}`);
  const lanes = new Map([...opened.open].filter(([lane]) => group.lanes.some((wanted) => wanted.name === lane)));
  const cutShort = load.callers * callMs > LONGEST_RUN_OUT_MS;
  const sliceMs = Math.max(spec.sliceMs, load.leastSliceMs ?? 0);
  const namedMs = spec.only === "" ? 0 : needMs(load, callMs);
  const times = { sliceMs, longestSliceMs: Math.max(sliceMs, spec.longestSliceMs, namedMs), cutShort };
  const setup = { items, times, capacityPerSec, random };
  const [first] = lanes.values();
  const { trafficMs = 0 } = spec;
  if (first !== undefined && trafficMs > 0) {
    const whole = { sliceMs: trafficMs, longestSliceMs: trafficMs, cutShort: false };
    await measureSlice(first, load, { ...setup, times: whole }, instruments);
  }
  const options = {
    rounds: spec.rounds,
    deadlineMs: budget.nextDeadlineMs(groupMs(group, spec)),
    isSpent: () => budget.isSpent(),
    random,
  };
  const { slices, failures } = await runRounds(lanes, load, setup, options, instruments);
  measurements.addSlices(name, slices);
  for (const [lane, ofLane] of slices) {
    if (ofLane.length === 0) measurements.addGap({ ...name, lane }, NO_TIME_LEFT);
  }
  for (const [lane, reason] of [...opened.failures, ...failures]) {
    if (group.lanes.some((wanted) => wanted.name === lane)) measurements.addGap({ ...name, lane }, reason);
  }
}

/** Returns whether the model file exists. Third-party models may be missing in a checkout. */
async function isThere(url: string): Promise<boolean> {
  const { status } = await fetch(url, { method: "HEAD" });
  return status !== 404;
}

/** Returns the time that a slice of a load needs with sequential calls, in ms. */
function needMs({ leastRounds, callers }: Load, callMs: number): number {
  return leastRounds * callers * callMs;
}

function tooSlow(neededMs: number): string {
  return `too slow here: one call at a time, a slice would need ${(neededMs / 1000).toFixed(1)} s`;
}

function leaveOut(
  planned: PlannedModel,
  group: PlannedGroup,
  { spec, site, budget, measurements }: RunContext,
  reason = NO_TIME_LEFT,
): void {
  budget.skip(groupMs(group, spec));
  for (const lane of group.lanes) {
    const cell = { model: planned.model.name, backend: spec.backend, site, load: group.load.name, lane: lane.name };
    measurements.addGap(cell, reason);
  }
}
