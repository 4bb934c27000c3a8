import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { PaddingOptions, PaddingSide } from "./padding-options.js";

/** A dynamic size of the items, shared by all dimensions that have it. */
export interface Extent {
  /** The model's name of the size, or `null`. */
  readonly symbol: string | null;
  readonly side: PaddingSide;
  /** Sizes to pad to, ascending, or `null` to pad to a multiple of `multipleOf`. */
  readonly buckets: readonly number[] | null;
  readonly multipleOf: number;
  /** Whether items of different sizes may share a batch. */
  readonly isPadded: boolean;
}

/** Returns the smallest size that an item of `size` can have in a batch, or `null` if it exceeds every bucket. */
export function bucketOf({ buckets, multipleOf }: Extent, size: number): number | null {
  if (buckets === null) return Math.ceil(size / multipleOf) * multipleOf;
  return buckets.find((bucket) => bucket >= size) ?? null;
}

/** The options that one `padding` entry requests for a size. */
export interface ExtentRequest {
  readonly input: string;
  readonly options: PaddingOptions;
}

/**
 * Combines the options that several inputs request for a size that they share.
 * @throws INVALID_OPTION when the options conflict.
 */
export function mergeExtentRequests(symbol: string | null, wishes: readonly ExtentRequest[]): Extent {
  const buckets = agreedOption("buckets", wishes, ({ buckets: sizes }) => sizes);
  return {
    symbol,
    side: agreedOption("side", wishes, ({ side }) => side) ?? "right",
    buckets: buckets === undefined ? null : Object.freeze([...buckets]),
    multipleOf: agreedOption("multipleOf", wishes, ({ multipleOf }) => multipleOf) ?? 1,
    isPadded: wishes.length > 0,
  };
}

/**
 * Returns the value of an option that inputs agree on; `undefined` if none sets it.
 * @throws INVALID_OPTION if they differ
 */
function agreedOption<Value>(
  option: string,
  wishes: readonly ExtentRequest[],
  read: (options: PaddingOptions) => Value | undefined,
): Value | undefined {
  const made = wishes.filter(({ options }) => read(options) !== undefined);
  const [first] = made;
  if (first === undefined) return undefined;
  const value = read(first.options);
  const other = made.find(({ options }) => String(read(options)) !== String(value));
  if (other === undefined) return value;
  throw new FramebatchError(
    "INVALID_OPTION",
    `padding["${other.input}"].${option}: expected ${String(value)} as for input "${first.input}", with which it shares a size, got ${String(read(other.options))}; give both the same`,
    { details: { input: other.input } },
  );
}
