import type { Findings } from "./findings.js";
import type { Lab } from "./lab.js";
import type { Random } from "./random.js";

/** How hard a promise is tested. `full` is the soak; `short` asks the same in seconds, and judges no speed: tests run beside it. */
export type Effort = "full" | "short";

export interface Attempt {
  readonly lab: Lab;
  readonly effort: Effort;
  readonly seed: number;
  readonly random: Random;
}

/** A promise of framebatch, and how it is put to the test. */
export interface SoakPromise {
  /** As in the report: P1, P2 and so on. */
  readonly id: string;
  readonly title: string;
  /** It measures time so finely that nothing may run beside it. */
  readonly isQuiet: boolean;
  test(attempt: Attempt): Promise<Findings>;
}
