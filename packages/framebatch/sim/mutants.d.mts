/** A bug to plant: where `search` stands in the core, `replace` is put. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

export declare const MUTANTS: readonly Mutant[];
