import type { Backend, Site } from "../src/results.js";
import type { RunSpec } from "../src/spec.js";

/** The extent of a run. All times are in ms. */
export interface Plan extends Pick<
  RunSpec,
  "lanes" | "rounds" | "sliceMs" | "longestSliceMs" | "longestNeedMs" | "subset"
> {
  /** Number of pages that measure every group, by backend and site. Each page measures a share of the rounds. */
  readonly pages: Readonly<Record<Backend, PagesBySite>>;
  /** The time for all pages of a backend. What these leave of it measures groups again that cannot be told. */
  readonly budgetMs: Readonly<Record<Backend, number>>;
  readonly graceMs: number;
  /** Number of visits of each kind for the time to the first prediction, and the models to visit. */
  readonly visits: number;
  readonly visited: readonly string[];
}

export type PagesBySite = Readonly<Record<Site, number>>;

export type Thoroughness = "quick" | "standard" | "full" | "every" | "peers" | "instances" | "builds";

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

/** A software GPU opens a lane in seconds, so WebGPU gets fewer pages, which are isolated for the finer timer. */
const ONE_PAGE: PagesBySite = { isolated: 1, ordinary: 0 };
const TWO_PAGES: PagesBySite = { isolated: 2, ordinary: 0 };
const BOTH_SITES: PagesBySite = { isolated: 3, ordinary: 3 };

/** Many short slices under the loads of the subset `peers`, for intervals as narrow as the time allows. */
const SHORT_SLICES = {
  subset: "peers",
  rounds: 12,
  sliceMs: 60,
  longestSliceMs: 500,
  longestNeedMs: 500,
  pages: { wasm: BOTH_SITES, webgpu: TWO_PAGES },
  graceMs: 30_000,
  visits: 0,
  visited: [],
} as const;

export const PLANS: Readonly<Record<Thoroughness, Plan>> = {
  /**
   * A quick look: batching on and off, a few short slices each. Its budget is the rest of the minute, see `budgetOf`.
   */
  quick: {
    lanes: ["frame", "idle", "off"],
    subset: "balanced",
    rounds: 3,
    sliceMs: 100,
    longestSliceMs: 900,
    longestNeedMs: 12_000,
    pages: { wasm: ONE_PAGE, webgpu: ONE_PAGE },
    budgetMs: { wasm: 0, webgpu: 0 },
    graceMs: 4000,
    visits: 0,
    visited: [],
  },
  /** The figures of README.md and the comparison with the peers, in five minutes. */
  standard: {
    lanes: ALL_LANES,
    subset: "essential",
    rounds: 4,
    sliceMs: 100,
    longestSliceMs: 1000,
    longestNeedMs: 15_000,
    pages: { wasm: TWO_PAGES, webgpu: ONE_PAGE },
    budgetMs: { wasm: 2 * MINUTE, webgpu: 2.5 * MINUTE },
    graceMs: 15_000,
    visits: 2,
    visited: ["mlp-tiny"],
  },
  /** The source of the figures in README.md: enough slices for meaningful intervals, in under 20 minutes. */
  full: {
    lanes: ALL_LANES,
    subset: "balanced",
    rounds: 6,
    sliceMs: 200,
    longestSliceMs: 1500,
    longestNeedMs: 45_000,
    pages: { wasm: BOTH_SITES, webgpu: TWO_PAGES },
    budgetMs: { wasm: 10 * MINUTE, webgpu: 9.2 * MINUTE },
    graceMs: 30_000,
    visits: 5,
    visited: ["mlp-tiny", "digits"],
  },
  /** All cells, without regard to the duration. */
  every: {
    lanes: [...ALL_LANES, "instances-2"],
    subset: "full",
    rounds: 10,
    sliceMs: 400,
    longestSliceMs: 5000,
    longestNeedMs: 15 * MINUTE,
    pages: { wasm: BOTH_SITES, webgpu: TWO_PAGES },
    budgetMs: { wasm: 120 * MINUTE, webgpu: 240 * MINUTE },
    graceMs: MINUTE,
    visits: 12,
    visited: ["mlp-tiny", "digits", "mlp-784"],
  },
  /** framebatch compared with the alternatives of a page, as precisely as 25 minutes allow. */
  peers: {
    lanes: ["frame", "idle", "off", "dataloader", "hand-written"],
    ...SHORT_SLICES,
    budgetMs: { wasm: 25 * MINUTE, webgpu: 25 * MINUTE },
  },
  /** Builds of framebatch compared with each other, under the loads of `peers`. `BenchCommand.builds` has the lanes. */
  builds: {
    lanes: [],
    ...SHORT_SLICES,
    budgetMs: { wasm: 12 * MINUTE, webgpu: 12 * MINUTE },
  },
  /** One worker compared with two, under the loads of `peers`. */
  instances: {
    lanes: ["idle", "instances-2"],
    subset: "peers",
    rounds: 9,
    sliceMs: 100,
    longestSliceMs: 500,
    longestNeedMs: 500,
    pages: { wasm: BOTH_SITES, webgpu: ONE_PAGE },
    budgetMs: { wasm: 8 * MINUTE, webgpu: 8 * MINUTE },
    graceMs: 30_000,
    visits: 0,
    visited: [],
  },
};

/** A quick run ends within 60 seconds of the start of the command. A slow machine needs some of this time to finish. */
const QUICK_TOTAL_MS = 56_000;
const QUICK_SHARE: Readonly<Record<Backend, number>> = { wasm: 0.5, webgpu: 1 };
const MIN_BUDGET_MS = 8000;

/**
 * Returns the time that the page may use for measurements, in ms.
 * @param elapsedMs time since the start of the command, in ms
 * @param backendsLeft number of remaining backends, including this one
 */
export function budgetOf(plan: Plan, backend: Backend, elapsedMs: number, backendsLeft: number): number {
  if (plan !== PLANS.quick) return plan.budgetMs[backend];
  const leftMs = QUICK_TOTAL_MS - elapsedMs - backendsLeft * plan.graceMs;
  return Math.max(MIN_BUDGET_MS, backendsLeft === 1 ? leftMs : leftMs * QUICK_SHARE[backend]);
}

/** Returns the backends that can contain cells selected by `only`: all of them, unless `only` names one. */
export function backendsFor(only: string, backends: readonly Backend[]): readonly Backend[] {
  const named = backends.filter((backend) => only.split("/").includes(backend));
  return named.length > 0 ? named : backends;
}
