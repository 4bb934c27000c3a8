import type { Mutant } from "./mutants.mjs";

/** A mechanism of the scheduler, and the edits of the core that take it out. */
export interface Ablation {
  readonly name: string;
  readonly what: string;
  readonly edits: readonly Omit<Mutant, "name">[];
}

export declare const ABLATIONS: readonly Ablation[];
