/** The rows of one input or output that stay in a worker: their numbers, unique in a group; `null` for a row that does not. */
export interface KeptColumn {
  readonly name: string;
  readonly ids: readonly (number | null)[];
}

/** Tells the worker of a group that nothing reads these tensors any more. */
export interface ReleaseNotice {
  readonly released: readonly number[];
}
