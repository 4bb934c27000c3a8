import type { CalledLane, Lane, OpenLane } from "../lanes/lane.js";
import type { BenchModel } from "../models.js";
import type { Backend } from "../results.js";
import type { MemoryMeter } from "../measure/memory.js";
import { NO_TIME_LEFT } from "./budget.js";
import type { BenchItem, Numbers } from "../ort/tensors.js";

const TOLERANCE = 1e-3;

/** Minimum number of timed calls, and minimum total time in ms. */
const TIMED = { calls: 3, forMs: 30 };

/**
 * Time that a worker needs to terminate, in ms. If memory is measured meanwhile, the browser may take a minute to
 * answer.
 */
const ENDING_MS = 1000;

/** The open lanes of a model, and why the others could not be opened. */
export interface OpenedLanes {
  readonly open: ReadonlyMap<string, OpenLane>;
  readonly failures: ReadonlyMap<string, string>;
  /** The memory that each lane added to the page, in bytes; `null` if the browser did not report it. */
  readonly addedBytes: ReadonlyMap<string, number | null>;
}

/**
 * Opens lanes one after the other, so that no lane warms up while another one loads. Closes lanes whose answer differs
 * from that of the first lane.
 */
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

/** Returns whether two answers are equal but for rounding. */
export function agree(expected: Numbers, answer: Numbers): boolean {
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

/** Returns the duration of one call on the slowest lane, in ms. */
export async function slowestCallMs(lanes: Iterable<OpenLane>, item: BenchItem): Promise<number> {
  let slowestMs = 0;
  for (const lane of lanes) {
    if (lane.kind === "called") slowestMs = Math.max(slowestMs, await callMs(lane, item));
  }
  return slowestMs;
}

/** Returns the fastest time, in ms, since other work on the machine can only slow a call down. */
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
