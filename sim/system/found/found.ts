import type { Scenario } from "../src/scenario/scenario.js";

/** A program that has broken a promise, shrunk, as `npm run measure sim:system` prints it. */
export interface Found {
  /** What holds since. */
  readonly what: string;
  readonly scenario: Scenario;
  /** Number of seeds that it is run with, from its own on. @default 1 */
  readonly seeds?: number;
  /** Number of its calls that are answered, where a call that fails breaks no other rule. */
  readonly answered?: number;
}
