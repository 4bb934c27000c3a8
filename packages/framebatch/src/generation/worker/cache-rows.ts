import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { setElements } from "@framebatch/rows/tensor/writing.js";
import type { Tensor, TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { CachePair } from "../cache-pairs.js";

/** The side of shorter caches that is filled up in a batch. */
export type Side = "left" | "right";

/** The caches of one text: a row of tensors that it may share with others. Nothing writes to them. */
export interface CacheRow {
  /** In the order of the pairs. */
  readonly tensors: readonly Tensor[];
  readonly row: number;
  /** Number of positions that are the text's own, in caches that grow. The others are padding. */
  readonly length: number;
  /** The same in the others, whose padding is on the right. */
  readonly givenLength: number;
}

type Pairs = readonly Pick<CachePair, "axis" | "grows" | "batchAxis">[];

/**
 * Returns the caches of a batch, padded to the longest. Rows that are a whole batch already are not copied, others once.
 * @param side where the padding of the rows is, and that of the batch will be
 */
export function joinRows(pairs: Pairs, rows: readonly CacheRow[], side: Side): readonly Tensor[] {
  const [first] = rows;
  if (first === undefined) return [];
  if (isBatch(pairs, rows)) return first.tensors;
  return pairs.map((pair, index) =>
    joinTensors(
      pair,
      rows.map((cache) => ({ tensor: cache.tensors[index]!, row: cache.row, length: lengthIn(pair, cache) })),
      pair.grows ? side : "right",
    ),
  );
}

function lengthIn({ grows }: Pairs[number], { length, givenLength }: CacheRow): number {
  return grows ? length : givenLength;
}

/** Whether rows are those of one batch, all and in order, without padding that all have. */
function isBatch(pairs: Pairs, rows: readonly CacheRow[]): boolean {
  const { tensors } = rows[0]!;
  return (
    rows.every((row, index) => row.tensors === tensors && row.row === index) &&
    pairs.every((pair, index) => {
      const { dims } = tensors[index]!;
      const longest = Math.max(...rows.map((row) => lengthIn(pair, row)));
      return dims[pair.batchAxis] === rows.length && dims[pair.axis] === longest;
    })
  );
}

/** The part of a tensor that belongs to one text. */
export interface TensorRow {
  readonly tensor: Tensor;
  readonly row: number;
  /** Number of its positions. The others are padding. */
  readonly length: number;
}

/**
 * Returns a tensor of rows, each padded with zeros to the longest.
 * @param axis that of the positions, behind the batch
 * @param side where the padding of the rows is, and that of the tensor will be
 */
export function joinTensors(
  { axis, batchAxis }: { readonly axis: number; readonly batchAxis: number },
  rows: readonly TensorRow[],
  side: Side,
): Tensor {
  const { type, dims } = rows[0]!.tensor;
  const longest = Math.max(...rows.map(({ length }) => length));
  const joined = dims.with(batchAxis, rows.length).with(axis, longest);
  const data = elementOf(type).create(volumeOf(joined));
  const outer = volumeOf(dims.slice(0, batchAxis));
  const blocks = volumeOf(dims.slice(batchAxis + 1, axis));
  const inner = volumeOf(dims.slice(axis + 1));
  for (const [index, { tensor, row, length }] of rows.entries()) {
    const had = tensor.dims[axis]!;
    const [from, to] = side === "left" ? [had - length, longest - length] : [0, 0];
    const batch = tensor.dims[batchAxis]!;
    for (let outside = 0; outside < outer; outside++) {
      for (let block = 0; block < blocks; block++) {
        const source = ((outside * batch + row) * blocks + block) * had + from;
        const target = ((outside * rows.length + index) * blocks + block) * longest + to;
        setElements(data, part(tensor.data, source * inner, length * inner), target * inner);
      }
    }
  }
  return { type, dims: joined, data };
}

function part(data: TensorData, from: number, count: number): TensorData {
  return "subarray" in data ? data.subarray(from, from + count) : data.slice(from, from + count);
}

/** Returns the caches of a text that has taken no token yet. */
export function emptyCaches(pairs: readonly CachePair[]): readonly Tensor[] {
  return pairs.map(({ input: { type, dims }, batchAxis }) => {
    const sizes = dims.map((size, at) => (at === batchAxis ? 1 : (size ?? 0)));
    return { type, dims: sizes, data: elementOf(type).create(0) };
  });
}

/** Returns the size of all caches, in bytes. Texts that share a batch have the same. */
export function bytesOf(rows: Iterable<CacheRow>): number {
  let bytes = 0;
  for (const tensors of new Set(Array.from(rows, (row) => row.tensors))) {
    for (const { data } of tensors) bytes += "byteLength" in data ? data.byteLength : 0;
  }
  return bytes;
}
