/** The sides on which padding is added, each with where the data then begin. To add a side, add an entry. */
export const DATA_STARTS = {
  right: () => 0,
  left: (padded: number, own: number) => padded - own,
} as const;

/** The side on which padding is added. */
export type PaddingSide = keyof typeof DATA_STARTS;

/**
 * How the dynamic dimensions of one input are padded to equal sizes within a batch. Inputs whose dimensions have the
 * same name share their sizes.
 *
 * An item that runs alone because its batches are not checked yet, or because `batching` is off, keeps its own size. If
 * the model rejects that, it runs at the size that `buckets` or `multipleOf` gives.
 *
 * Outputs are trimmed to each item's own size if the name of their dimension is an expression of a padded size, such as
 * "seq", "seq + 2" or "floor(width/2)". A dimension without a name, or with another name, keeps its size in the batch.
 */
export interface PaddingOptions {
  /** Fill value of the padded part. @default 0, false or "" */
  readonly value?: number | bigint | boolean | string;
  /** Side on which the padding is added. @default "right" */
  readonly side?: PaddingSide;
  /**
   * Sizes to pad to, ascending. Longer items are rejected. They may be the only sizes that the model runs.
   * @default the longest item of the batch
   * @example await createBatchedModel(url, { padding: { ids: { buckets: [16, 64, 256] } } });
   */
  readonly buckets?: readonly number[];
  /**
   * Pads to a multiple of this number, which the model may require. Cannot be combined with `buckets`.
   * @default 1
   * @example await createBatchedModel(url, { padding: { ids: { multipleOf: 8 } } });
   */
  readonly multipleOf?: number;
  /**
   * Name of the mask input, which is 1 for data and 0 for padding. Filled automatically if the caller leaves it out.
   * @example await createBatchedModel(url, { padding: { ids: { mask: "attention_mask" } } });
   */
  readonly mask?: string;
}

export const PADDING_OPTION_NAMES: readonly (keyof PaddingOptions)[] = [
  "value",
  "side",
  "buckets",
  "multipleOf",
  "mask",
];
