import type { Backend } from "../src/results.js";
import type { RunSpec } from "../src/spec.js";

/** How thorough a run is. Every time in milliseconds. */
export interface Plan extends Pick<
  RunSpec,
  "lanes" | "rounds" | "sliceMs" | "longestSliceMs" | "longestNeedMs" | "subset"
> {
  readonly budgetMs: Readonly<Record<Backend, number>>;
  readonly graceMs: number;
  /** Visits of each kind that time the first prediction, and the models that are visited. */
  readonly visits: number;
  readonly visited: readonly string[];
}

export type Thoroughness = "quick" | "standard" | "full" | "every" | "peers";

const ALL_LANES: readonly string[] = [
  "frame",
  "idle",
  "window",
  "off",
  "ort-main",
  "ort-proxy",
  "transformers-js",
  "dataloader",
  "hand-written",
  "window-10",
  "pacer",
  "limit",
];

const MINUTE = 60_000;

export const PLANS: Readonly<Record<Thoroughness, Plan>> = {
  /** A look: batching on and off, a few short slices each. Its budget is what the clock leaves, see `budgetOf`. */
  quick: {
    lanes: ["frame", "idle", "off"],
    subset: "balanced",
    rounds: 3,
    sliceMs: 100,
    longestSliceMs: 900,
    longestNeedMs: 12_000,
    budgetMs: { wasm: 0, webgpu: 0 },
    graceMs: 4000,
    visits: 0,
    visited: [],
  },
  /** What README.md shows, and how the peers stand, in five minutes. */
  standard: {
    lanes: ALL_LANES,
    subset: "essential",
    rounds: 4,
    sliceMs: 100,
    longestSliceMs: 1000,
    longestNeedMs: 15_000,
    budgetMs: { wasm: 2 * MINUTE, webgpu: 2.5 * MINUTE },
    graceMs: 15_000,
    visits: 2,
    visited: ["mlp-tiny"],
  },
  /** What README.md is filled from: enough for the intervals to mean something, in under 20 minutes. */
  full: {
    lanes: ALL_LANES,
    subset: "balanced",
    rounds: 6,
    sliceMs: 200,
    longestSliceMs: 1500,
    longestNeedMs: 45_000,
    budgetMs: { wasm: 7.5 * MINUTE, webgpu: 9.2 * MINUTE },
    graceMs: 30_000,
    visits: 5,
    visited: ["mlp-tiny", "digits"],
  },
  /** Every cell, however long it takes. */
  every: {
    lanes: ALL_LANES,
    subset: "full",
    rounds: 10,
    sliceMs: 400,
    longestSliceMs: 5000,
    longestNeedMs: 15 * MINUTE,
    budgetMs: { wasm: 120 * MINUTE, webgpu: 240 * MINUTE },
    graceMs: MINUTE,
    visits: 12,
    visited: ["mlp-tiny", "digits", "mlp-784"],
  },
  /** framebatch against what a page could do without it, as closely as ten minutes can tell. */
  peers: {
    lanes: ["frame", "idle", "off", "dataloader", "hand-written"],
    subset: "peers",
    rounds: 9,
    sliceMs: 60,
    longestSliceMs: 500,
    longestNeedMs: 500,
    budgetMs: { wasm: 11.5 * MINUTE, webgpu: 11.5 * MINUTE },
    graceMs: 30_000,
    visits: 0,
    visited: [],
  },
};

/** A whole quick run, from the start of the command, ends within 60 seconds; a slow machine needs some of them to end. */
const QUICK_TOTAL_MS = 56_000;
const QUICK_SHARE: Readonly<Record<Backend, number>> = { wasm: 0.5, webgpu: 1 };
const LEAST_BUDGET_MS = 8000;

/** How long the page may measure. `elapsedMs` is since the start of the command; `backendsLeft` counts this one too. */
export function budgetOf(plan: Plan, backend: Backend, elapsedMs: number, backendsLeft: number): number {
  if (plan !== PLANS.quick) return plan.budgetMs[backend];
  const leftMs = QUICK_TOTAL_MS - elapsedMs - backendsLeft * plan.graceMs;
  return Math.max(LEAST_BUDGET_MS, backendsLeft === 1 ? leftMs : leftMs * QUICK_SHARE[backend]);
}

/** The backends in which `only` can find a cell: all of them, unless it names one. */
export function backendsFor(only: string, backends: readonly Backend[]): readonly Backend[] {
  const named = backends.filter((backend) => only.split("/").includes(backend));
  return named.length > 0 ? named : backends;
}
