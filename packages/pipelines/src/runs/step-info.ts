/**
 * The kinds of steps:
 * - `stage`: a model or a function takes one part and returns one.
 * - `split`: a function turns one item into parts.
 * - `collect`: a function turns the parts of an item into one result.
 */
export type StepKind = "stage" | "split" | "collect";

/** A step of a pipeline as the caller defined it. */
export interface StepInfo {
  readonly kind: StepKind;
  readonly name: string;
  /** Returns the batch size with the best rate, if the stage knows it. @default 1 */
  readonly targetSize?: () => number;
}
