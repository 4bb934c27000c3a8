import type { Mutant } from "../batcher/mutants.mjs";

export declare const MUTANTS: readonly Mutant[];
