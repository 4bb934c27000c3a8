import { makeItems } from "../items.js";
import type { BenchItem } from "../ort/tensors.js";
import { closedLoop } from "../loads/closed-loop.js";
import type { RunSpec } from "../spec.js";
import { median } from "../statistics/quantile.js";
import type { Random } from "../statistics/random.js";
import { NO_TIME_LEFT, type Budget } from "./budget.js";
import { measureSlice, type Instruments } from "./measure-slice.js";
import { closeLanes, openLanes, slowestCallMs, type OpenedLanes } from "./opened-lanes.js";
import type { PlannedGroup, PlannedModel } from "./plan.js";
import { runRounds } from "./rounds.js";
import type { GroupName, Tables } from "./tables.js";

const ITEMS = 256;

/** Slices that tell what a model can serve; the first one warms it up, and a median of three forgives that. */
const CAPACITY_SLICES = 3;

/** Where waiting for all open calls would take longer than this, they are withdrawn at the end of a slice. */
const LONGEST_RUN_OUT_MS = 1000;

/** What the parts of a run share. */
export interface RunContext {
  readonly spec: RunSpec;
  readonly budget: Budget;
  readonly instruments: Instruments;
  readonly tables: Tables;
  readonly random: Random;
  readonly say: (text: string) => void;
}

/** Opens each lane of a model once, puts every load on them in turn, and closes them. */
export async function runModel(planned: PlannedModel, context: RunContext): Promise<void> {
  const { spec, budget, random, say } = context;
  if (budget.isSpent()) {
    for (const group of planned.groups) leaveOut(planned, group, context);
    return;
  }
  say(`${planned.model.name} on ${spec.backend}: loading`);
  const items = makeItems(planned.model, ITEMS, random);
  const lanes = [...new Set(planned.groups.flatMap((group) => group.lanes))];
  const opened = await openLanes(lanes, planned.model, spec.backend, items, () => budget.isSpent());
  const callMs = await slowestCallMs(opened.open.values(), items[0] ?? {});
  const capacityPerSec = await capacityOf(planned, opened, items, context);
  for (const group of planned.groups) {
    if (budget.isSpent()) leaveOut(planned, group, context);
    else await runGroup(planned, group, opened, { items, callMs, capacityPerSec }, context);
  }
  for (const [lane, open] of opened.open) {
    const curve = open.kind === "called" ? open.curve() : null;
    if (curve !== null) context.tables.addCurve({ model: planned.model.name, backend: spec.backend, lane, ...curve });
  }
  await closeLanes(opened);
}

/** What the groups of a model share. */
interface GroupSetup {
  readonly items: readonly BenchItem[];
  /** Time of one call alone on the slowest of the lanes, in milliseconds. */
  readonly callMs: number;
  readonly capacityPerSec: number;
}

/** What the first of the lanes serves to 256 callers, where a load wants to know: one rate for all lanes, so that they can be compared. */
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
  { spec, budget, instruments, tables, random, say }: RunContext,
): Promise<void> {
  const { load } = group;
  const name: GroupName = { model: planned.model.name, backend: spec.backend, load: load.name };
  say(`${name.model} on ${name.backend}: ${name.load}`);
  const lanes = new Map([...opened.open].filter(([lane]) => group.lanes.some((wanted) => wanted.name === lane)));
  const cutShort = load.callers * callMs > LONGEST_RUN_OUT_MS;
  const times = { sliceMs: spec.sliceMs, longestSliceMs: spec.longestSliceMs, cutShort };
  const setup = { items, times, capacityPerSec, random };
  const options = {
    rounds: spec.rounds,
    deadlineMs: budget.nextDeadlineMs(),
    isSpent: () => budget.isSpent(),
    random,
  };
  const { slices, failures } = await runRounds(lanes, load, setup, options, instruments);
  tables.addSlices(name, slices);
  for (const [lane, ofLane] of slices) {
    if (ofLane.length === 0) tables.addGap({ ...name, lane }, NO_TIME_LEFT);
  }
  for (const [lane, reason] of [...opened.failures, ...failures]) {
    if (group.lanes.some((wanted) => wanted.name === lane)) tables.addGap({ ...name, lane }, reason);
  }
}

function leaveOut(planned: PlannedModel, group: PlannedGroup, { spec, budget, tables }: RunContext): void {
  budget.skip(1);
  for (const lane of group.lanes) {
    const cell = { model: planned.model.name, backend: spec.backend, load: group.load.name, lane: lane.name };
    tables.addGap(cell, NO_TIME_LEFT);
  }
}
