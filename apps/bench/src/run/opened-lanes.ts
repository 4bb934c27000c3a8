import type { CalledLane, Lane, OpenLane } from "../lanes/lane.js";
import type { BenchModel } from "../models.js";
import type { Backend } from "../results.js";
import type { MemoryMeter } from "../measure/memory.js";
import { NO_TIME_LEFT } from "./budget.js";
import type { BenchItem, Numbers } from "../ort/tensors.js";

const TOLERANCE = 1e-3;

/** A call is timed at least so often, and for at least so long, in milliseconds. */
const TIMED = { calls: 3, forMs: 30 };

/** A worker takes this long to end, in milliseconds. While one ends, the browser does not say what memory there is, for a minute. */
const ENDING_MS = 1000;

/** The lanes that could be opened for a model, and why the others could not. */
export interface OpenedLanes {
  readonly open: ReadonlyMap<string, OpenLane>;
  readonly failures: ReadonlyMap<string, string>;
  /** What each of them added to the memory of the page, in bytes; `null` where the browser did not say. */
  readonly addedBytes: ReadonlyMap<string, number | null>;
}

/** One after the other, so that none is warmed up while another loads. Those that give another answer than the first are closed. */
export async function openLanes(
  lanes: readonly Lane[],
  model: BenchModel,
  backend: Backend,
  items: readonly BenchItem[],
  { isSpent, memory }: { readonly isSpent: () => boolean; readonly memory: MemoryMeter | null },
): Promise<OpenedLanes> {
  const open = new Map<string, OpenLane>();
  const failures = new Map<string, string>();
  const addedBytes = new Map<string, number | null>();
  let expected: Numbers | undefined;
  let beforeBytes = (await memory?.read()) ?? null;
  for (const lane of lanes) {
    try {
      if (isSpent()) throw new Error(NO_TIME_LEFT);
      const opened = await lane.open(model, backend, items);
      open.set(lane.name, opened);
      const answer = await opened.answer(items[0] ?? {});
      expected ??= answer;
      if (!agree(expected, answer)) throw new Error("Its answer differs from that of the first lane.");
      const afterBytes = (await memory?.read()) ?? null;
      addedBytes.set(lane.name, beforeBytes === null || afterBytes === null ? null : afterBytes - beforeBytes);
      beforeBytes = afterBytes;
    } catch (error) {
      failures.set(lane.name, error instanceof Error ? error.message : String(error));
      await open.get(lane.name)?.close();
      open.delete(lane.name);
    }
  }
  return { open, failures, addedBytes };
}

function agree(expected: Numbers, answer: Numbers): boolean {
  if (expected.length !== answer.length) return false;
  return Array.from(expected, Number).every((value, index) => {
    const difference = Math.abs(value - Number(answer[index]));
    return difference <= TOLERANCE * Math.max(1, Math.abs(value));
  });
}

export async function closeLanes({ open }: OpenedLanes): Promise<void> {
  for (const lane of open.values()) await lane.close();
  await new Promise((resolve) => setTimeout(resolve, ENDING_MS));
}

/** Time of one call alone on the slowest of the lanes, in milliseconds. */
export async function slowestCallMs(lanes: Iterable<OpenLane>, item: BenchItem): Promise<number> {
  let slowestMs = 0;
  for (const lane of lanes) {
    if (lane.kind === "called") slowestMs = Math.max(slowestMs, await callMs(lane, item));
  }
  return slowestMs;
}

/** The fastest one: what else the machine does can only make a call slower. */
async function callMs(lane: CalledLane, item: BenchItem): Promise<number> {
  const timesMs: number[] = [];
  const startMs = performance.now();
  while (timesMs.length < TIMED.calls || performance.now() - startMs < TIMED.forMs) {
    const calledMs = performance.now();
    await lane.predict(item);
    timesMs.push(performance.now() - calledMs);
  }
  return Math.min(...timesMs);
}
