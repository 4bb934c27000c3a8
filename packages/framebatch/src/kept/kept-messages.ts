/** Default of the size of the tensors from which on no further ones stay in a worker, in bytes. */
export const MAX_KEPT_BYTES = 2 ** 28;

/**
 * The rows of one input or output that stay in a worker: their numbers, unique in a group; `null` for a row that does
 * not.
 */
export interface KeptColumn {
  readonly name: string;
  readonly ids: readonly (number | null)[];
}

/** What rows read and leave in the worker of a group. */
export interface KeptColumns {
  /**
   * Inputs whose rows are in the worker of the group. Their columns have `null` in place of each such row.
   * @default none
   */
  readonly reads?: readonly KeptColumn[];
  /**
   * Outputs whose rows stay in the worker of the group. The reply has their types and dims, without elements.
   * @default none
   */
  readonly keeps?: readonly KeptColumn[];
  /** The outputs that rows need: kept, or in the reply. @default all */
  readonly wants?: readonly string[];
}

/** Tells the worker of a group that nothing reads these tensors any more. */
export interface ReleaseNotice {
  readonly released: readonly number[];
}
