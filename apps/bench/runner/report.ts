import type {
  Backend,
  CostCurve,
  Gap,
  MemoryRow,
  MicroRow,
  PageFacts,
  Ratio,
  Row,
  Standing,
  StartRow,
} from "../src/results.js";
import type { Verdict } from "./targets.js";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly os: string;
  readonly node: string;
}

/** The browser on one backend, and the page in it. */
export interface BrowserRun {
  readonly backend: Backend;
  readonly browser: string;
  readonly flags: readonly string[];
  readonly adapter: string | null;
  readonly page: PageFacts;
}

/** What `npm run bench` writes. apps/bench/README.md describes each field. */
export interface Report {
  /** Grows when a field changes its meaning. */
  readonly format: 3;
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly command: string;
  readonly seed: number;
  readonly machine: Machine;
  readonly runs: readonly BrowserRun[];
  readonly rows: readonly Row[];
  readonly ratios: readonly Ratio[];
  readonly starts: readonly StartRow[];
  readonly curves: readonly CostCurve[];
  readonly memory: readonly MemoryRow[];
  readonly micro: readonly MicroRow[];
  readonly gaps: readonly Gap[];
  readonly targets: readonly Verdict[];
  /** framebatch against the best peer, cell by cell, the lost ones first. */
  readonly standings: readonly Standing[];
  /** What went wrong with a whole backend. */
  readonly problems: readonly string[];
}
