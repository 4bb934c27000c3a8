import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { areRanges, type DeviceMemory, type ElementRange } from "../../worker/ort/device-memory.js";
import { type DeviceRow, DeviceRows } from "../../worker/ort/device-rows.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { setElements } from "@framebatch/rows/tensor/writing.js";
import type { Tensor, TensorData, TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { CachePair } from "../decoder.js";

/** The side of shorter caches that is filled up in a batch. */
export type Side = "left" | "right";

/** A cache of some texts, in this worker's memory or in the GPU's. */
export type CacheTensor = Tensor | DeviceRows;

/** The caches of one text: a row of tensors that it may share with others. Nothing writes to them. */
export interface CacheRow {
  /** In the order of the pairs. */
  readonly tensors: readonly CacheTensor[];
  /** Its rows of those on the GPU, which hold them. */
  readonly held: readonly DeviceRow[];
  readonly row: number;
  /** Number of positions that are the text's own, in caches that grow. The others are padding. */
  readonly length: number;
  /** The same in the others, whose padding is on the right. */
  readonly givenLength: number;
}

/** Memory of the GPU. */
export type Room = Pick<DeviceMemory, "rows" | "fill">;

type Pairs = readonly Pick<CachePair, "axis" | "grows" | "batchAxis">[];

/** Gives up a text's share of the memory of the GPU. */
export function release({ held }: CacheRow): void {
  for (const row of held) row.release();
}

/**
 * Returns the caches of a batch, padded to the longest. Rows that are a whole batch already are not copied, others
 * once.
 * @param side where the padding of the rows is, and that of the batch will be
 * @param memory where a cache is joined if one of its rows is there; `null` if none is
 */
export function joinRows(
  pairs: Pairs,
  rows: readonly CacheRow[],
  side: Side,
  memory: Room | null = null,
): readonly CacheTensor[] {
  const [first] = rows;
  if (first === undefined) return [];
  if (isBatch(pairs, rows)) return first.tensors;
  return pairs.map((pair, index) => {
    const own = rows.map((cache) => ({
      tensor: cache.tensors[index]!,
      row: cache.row,
      length: lengthIn(pair, cache),
    }));
    const sideOfPair = pair.grows ? side : "right";
    return areHere(own) ? joinTensors(pair, own, sideOfPair) : joinOnDevice(pair, own, sideOfPair, memory!);
  });
}

function areHere(rows: readonly TensorRow<CacheTensor>[]): rows is readonly TensorRow[] {
  return rows.every(({ tensor }) => !isOnGpu(tensor));
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
      const dims = dimsOf(tensors[index]!);
      const longest = Math.max(...rows.map((row) => lengthIn(pair, row)));
      return dims[pair.batchAxis] === rows.length && dims[pair.axis] === longest;
    })
  );
}

export function isOnGpu(tensor: CacheTensor): tensor is DeviceRows {
  return tensor instanceof DeviceRows;
}

export function dimsOf(tensor: CacheTensor): readonly number[] {
  return isOnGpu(tensor) ? tensor.tensor.dims : tensor.dims;
}

/** The part of a tensor that belongs to one text. */
interface TensorRow<T extends CacheTensor = Tensor> {
  readonly tensor: T;
  readonly row: number;
  /** Number of its positions. The others are padding. */
  readonly length: number;
}

/**
 * Returns a tensor of rows, each padded with zeros to the longest.
 * @param axis that of the positions, behind the batch
 * @param side where the padding of the rows is, and that of the tensor will be
 */
export function joinTensors(axes: Axes, rows: readonly TensorRow[], side: Side): Tensor {
  const { type } = rows[0]!.tensor;
  const dims = joinedDims(axes, rows);
  const data = elementOf(type).create(volumeOf(dims));
  for (const { tensor, from, to, count } of rangesOf(axes, rows, side))
    setElements(data, part(tensor.data, from, count), to);
  return { type, dims, data };
}

/** The same on the GPU, whose new buffers are all zeros. */
function joinOnDevice(axes: Axes, rows: readonly TensorRow<CacheTensor>[], side: Side, memory: Room): CacheTensor {
  const { type } = rows[0]!.tensor;
  const dims = joinedDims(axes, rows);
  const joined = memory.rows(type, dims, axes.batchAxis);
  // Rows without a position.
  if (joined === null) return { type, dims, data: elementOf(type).create(0) };
  memory.fill(joined, rangesOf(axes, rows, side));
  return joined;
}

interface Axes {
  readonly axis: number;
  readonly batchAxis: number;
}

function joinedDims({ axis, batchAxis }: Axes, rows: readonly TensorRow<CacheTensor>[]): readonly number[] {
  const longest = Math.max(...rows.map(({ length }) => length));
  return dimsOf(rows[0]!.tensor).with(batchAxis, rows.length).with(axis, longest);
}

/** Returns which elements of the rows come where. */
function* rangesOf<T extends CacheTensor>(
  { axis, batchAxis }: Axes,
  rows: readonly TensorRow<T>[],
  side: Side,
): Generator<ElementRange<T>> {
  const dims = dimsOf(rows[0]!.tensor);
  const longest = Math.max(...rows.map(({ length }) => length));
  const outer = volumeOf(dims.slice(0, batchAxis));
  const blocks = volumeOf(dims.slice(batchAxis + 1, axis));
  const inner = volumeOf(dims.slice(axis + 1));
  for (const [index, { tensor, row, length }] of rows.entries()) {
    const had = dimsOf(tensor)[axis]!;
    const [from, to] = side === "left" ? [had - length, longest - length] : [0, 0];
    const batch = dimsOf(tensor)[batchAxis]!;
    for (let outside = 0; outside < outer; outside++) {
      for (let block = 0; block < blocks; block++) {
        const source = ((outside * batch + row) * blocks + block) * had + from;
        const target = ((outside * rows.length + index) * blocks + block) * longest + to;
        yield { tensor, from: source * inner, to: target * inner, count: length * inner };
      }
    }
  }
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
    for (const tensor of tensors)
      bytes += isOnGpu(tensor) ? tensor.bytes : "byteLength" in tensor.data ? tensor.data.byteLength : 0;
  }
  return bytes;
}

/** What a run makes on the GPU. */
export class MadeOnGpu {
  /** `null` without a GPU. */
  readonly room: Room | null;
  readonly #made: DeviceRows[] = [];

  constructor(memory: DeviceMemory | null) {
    this.room = memory && {
      rows: (...layout) => {
        const rows = memory.rows(...layout);
        if (rows !== null) this.#made.push(rows);
        return rows;
      },
      fill: (...given) => memory.fill(...given),
    };
  }

  destroyAllBut(kept: readonly CacheTensor[]): void {
    for (const rows of this.#made) if (!kept.includes(rows)) rows.destroy();
  }
}

/** Whether the positions of a cache are whole words on the GPU, which can be copied one by one. */
export function isWhole(type: TensorType, dims: readonly number[], { axis }: CachePair): boolean {
  return areRanges(type, [volumeOf(dims.slice(axis + 1))], 0);
}

/** Returns a cache on the GPU, if there is one and the cache may be there. */
export function toDevice(cache: CacheTensor, pair: CachePair, memory: Room | null): CacheTensor {
  if (isOnGpu(cache)) return cache;
  const { type, dims, data } = cache;
  const rows = memory !== null && isWhole(type, dims, pair) ? memory.rows(type, dims, pair.batchAxis) : null;
  if (rows !== null) memory!.fill(rows, [{ tensor: cache, from: 0, to: 0, count: data.length }]);
  return rows ?? cache;
}
