import type { Mutant } from "../../batcher/sim/mutants.mjs";

export declare const MUTANTS: readonly Mutant[];
