import type { Findings } from "./findings.js";
import type { Lab } from "./lab.js";
import type { Random } from "./random.js";

/**
 * The size of a test. `full` is the soak. `short` runs the same test in seconds and does not judge speed, because other
 * tests run at the same time.
 */
export type Effort = "full" | "short";

export interface Attempt {
  readonly lab: Lab;
  readonly effort: Effort;
  readonly seed: number;
  readonly random: Random;
}

/** A promise of framebatch, and its test. */
export interface SoakPromise {
  /** The name in the report: P1, P2 and so on. */
  readonly id: string;
  readonly title: string;
  /** True if the test measures short times, so that no other test may run at the same time. */
  readonly isQuiet: boolean;
  test(attempt: Attempt): Promise<Findings>;
}
