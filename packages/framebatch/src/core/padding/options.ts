/**
 * How the dynamic dimensions of one input are made equal within a batch. Inputs that share a dimension's name share its sizes.
 * Outputs are cut to each item's own size where their dimensions' names say how they follow from it: "seq", "seq + 2",
 * "floor(width/2)". A dimension without a name, or with another one, keeps the size that the batch has.
 */
export interface PaddingOptions {
  /** What fills the padded part. @default 0, false or "" */
  readonly value?: number | bigint | boolean | string;
  /** Where the padding goes. @default "right" */
  readonly side?: "right" | "left";
  /** Ascending sizes to pad to. Longer items are refused. @default the longest item of the batch */
  readonly buckets?: readonly number[];
  /** Pads to a multiple of this; not together with `buckets`. @default 1 */
  readonly multipleOf?: number;
  /** The input that is 1 where there are data and 0 where there is padding; filled where the caller leaves it out. */
  readonly mask?: string;
}

export const PADDING_OPTION_NAMES: readonly (keyof PaddingOptions)[] = [
  "value",
  "side",
  "buckets",
  "multipleOf",
  "mask",
];
