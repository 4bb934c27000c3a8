/** A planted bug: `replace` replaces the text `search` in a file, which is named relative to `packages`. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

export declare const MUTANTS: readonly Mutant[];
