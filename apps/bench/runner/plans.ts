import type { Backend } from "../src/results.js";
import type { RunSpec } from "../src/spec.js";

/** How thorough a run is. Every time in milliseconds. */
export type Plan = Pick<RunSpec, "lanes" | "rounds" | "sliceMs" | "longestSliceMs">;

const ALL_LANES: readonly string[] = ["frame", "idle", "off", "ort-main", "limit"];

/** Enough for the intervals to mean something. */
export const STANDARD: Plan = { lanes: ALL_LANES, rounds: 10, sliceMs: 400, longestSliceMs: 5000 };

/** A look: batching on and off, a few short slices each. */
export const QUICK: Plan = { lanes: ["frame", "idle", "off"], rounds: 3, sliceMs: 100, longestSliceMs: 900 };

/** A whole quick run, from the start of the command, ends within 60 seconds; a slow machine needs some of them to end. */
const QUICK_TOTAL_MS = 56_000;

const STANDARD_BUDGET_MS: Readonly<Record<Backend, number>> = { wasm: 5 * 60_000, webgpu: 8 * 60_000 };
const QUICK_SHARE: Readonly<Record<Backend, number>> = { wasm: 0.5, webgpu: 1 };

/** What each browser needs to start and to end. */
const QUICK_OVERHEAD_MS = 4000;
const LEAST_BUDGET_MS = 8000;

/** On top of its budget: what a run may take to finish the slice that it is in. */
export function graceOf(isQuick: boolean): number {
  return isQuick ? QUICK_OVERHEAD_MS : 30_000;
}

/** How long the page may measure. `elapsedMs` is since the start of the command; `backendsLeft` counts this one too. */
export function budgetOf(backend: Backend, isQuick: boolean, elapsedMs: number, backendsLeft: number): number {
  if (!isQuick) return STANDARD_BUDGET_MS[backend];
  const leftMs = QUICK_TOTAL_MS - elapsedMs - backendsLeft * QUICK_OVERHEAD_MS;
  return Math.max(LEAST_BUDGET_MS, backendsLeft === 1 ? leftMs : leftMs * QUICK_SHARE[backend]);
}

/** The backends in which `only` can find a cell: all of them, unless it names one. */
export function backendsFor(only: string, backends: readonly Backend[]): readonly Backend[] {
  const named = backends.filter((backend) => only.split("/").includes(backend));
  return named.length > 0 ? named : backends;
}
