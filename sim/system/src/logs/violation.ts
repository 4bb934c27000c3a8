/** A promise that a scenario has broken. */
export interface Violation {
  /** The invariant, as its file is named. */
  readonly rule: string;
  readonly what: string;
}
