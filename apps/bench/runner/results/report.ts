import type {
  Backend,
  CostCurve,
  Gap,
  MemoryRow,
  MicroRow,
  PageFacts,
  Ratio,
  Row,
  Site,
  Standing,
  StartRow,
} from "../../src/results.js";
import type { Verdict } from "./targets.js";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly os: string;
  readonly node: string;
}

/** The browser of one backend and site, the number of its pages, and the first of them. */
export interface BrowserRun {
  readonly backend: Backend;
  readonly site: Site;
  readonly pages: number;
  readonly browser: string;
  readonly flags: readonly string[];
  readonly adapter: string | null;
  readonly page: PageFacts;
}

/** The version of the report. It increases when the meaning of a field changes. */
export const FORMAT = 4;

/** The report that `npm run bench` writes. apps/bench/README.md describes each field. */
export interface Report {
  readonly format: typeof FORMAT;
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
  /** framebatch compared with the best peer of each cell. */
  readonly standings: readonly Standing[];
  /** The errors that affect a whole backend. */
  readonly problems: readonly string[];
}
