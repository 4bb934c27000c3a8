import { makeItems, type BenchItem } from "../items.js";
import type { RunSpec } from "../spec.js";
import type { Random } from "../statistics/random.js";
import { NO_TIME_LEFT, type Budget } from "./budget.js";
import type { Instruments } from "./measure-slice.js";
import { closeLanes, openLanes, slowestCallMs, type OpenedLanes } from "./opened-lanes.js";
import type { PlannedGroup, PlannedModel } from "./plan.js";
import { runRounds } from "./rounds.js";
import type { GroupName, Tables } from "./tables.js";

const ITEMS = 256;

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
  const opened = await openLanes(lanes, planned.model, spec.backend, items[0] ?? {}, () => budget.isSpent());
  const callMs = await slowestCallMs(opened.open.values(), items[0] ?? {});
  for (const group of planned.groups) {
    if (budget.isSpent()) leaveOut(planned, group, context);
    else await runGroup(planned, group, opened, { items, callMs }, context);
  }
  await closeLanes(opened);
}

async function runGroup(
  planned: PlannedModel,
  group: PlannedGroup,
  opened: OpenedLanes,
  { items, callMs }: { readonly items: readonly BenchItem[]; readonly callMs: number },
  { spec, budget, instruments, tables, random, say }: RunContext,
): Promise<void> {
  const { load } = group;
  const name: GroupName = { model: planned.model.name, backend: spec.backend, load: load.name };
  say(`${name.model} on ${name.backend}: ${name.load}`);
  const lanes = new Map([...opened.open].filter(([lane]) => group.lanes.some((wanted) => wanted.name === lane)));
  const cutShort = load.callers * callMs > LONGEST_RUN_OUT_MS;
  const times = { sliceMs: spec.sliceMs, longestSliceMs: spec.longestSliceMs, cutShort };
  const options = {
    rounds: spec.rounds,
    times,
    deadlineMs: budget.nextDeadlineMs(),
    isSpent: () => budget.isSpent(),
    random,
  };
  const { slices, failures } = await runRounds(lanes, load, items, options, instruments);
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
