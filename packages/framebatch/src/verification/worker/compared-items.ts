import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { givenIn } from "@framebatch/rows/tensor/record.js";
import { readRegion } from "@framebatch/rows/tensor/region.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { rowsIn } from "./items.js";
import type { Tensors } from "./check-runs.js";

/** Number of the first items, of any size. */
const FIRST_ITEMS = 4;
/** Maximum number of sizes. */
const MAX_SIZES = 16;
/** Maximum number of elements of the items that wait for their comparison. */
const MAX_WAITING_ELEMENTS = 2 ** 23;

/** Maximum number of elements of one item with its answers: it is copied. */
const MAX_ELEMENTS = 2 ** 25;

/** The sizes of an item: the dims of its inputs in the order of the model, without the batch axis. */
export type ItemSize = readonly number[];

/** An item of a request, in feeds of its own, and what the model has answered. */
export interface AnsweredItem {
  readonly feeds: Tensors;
  readonly answers: Tensors;
  readonly size: ItemSize;
  /** Number of elements on which its time depends. */
  readonly elements: number;
  /** Number of elements in the feeds. */
  readonly held: number;
}

/** Tensors by name, of which only the dims matter. */
export type Sizes = Readonly<Record<string, Pick<Tensor, "dims">>>;

/**
 * Chooses the items of requests that are worth a comparison: the first ones, and then the first one of each doubling of
 * a size, because kernels differ from some size on.
 */
export class ComparedItems {
  readonly #signature: ModelSignature;
  #firstLeft: number;
  readonly #classes: Set<string>;
  #waiting: AnsweredItem[] = [];

  /** @param known sizes that were compared before */
  constructor(signature: ModelSignature, known: readonly ItemSize[]) {
    this.#signature = signature;
    this.#firstLeft = known.length > 0 ? 0 : FIRST_ITEMS;
    this.#classes = new Set(known.map(classOf));
  }

  /** Returns whether a run with such feeds has an item that is worth a comparison. */
  wants(feeds: Sizes): boolean {
    if (rowsIn(this.#signature, feeds) === 0) return false;
    const elements = Object.values(feeds).reduce((sum, { dims }) => sum + volumeOf(dims), 0);
    if (elements + this.#waitingElements > MAX_WAITING_ELEMENTS) return false;
    if (this.#firstLeft > 0) return true;
    return this.#classes.size < MAX_SIZES && !this.#classes.has(classOf(this.#sizeOf(feeds)));
  }

  /**
   * Takes a copy of the first item of a run, unless it is too large.
   * @param elements on how many its time depends; default: all of its feeds
   */
  take(feeds: Tensors, answers: Tensors, elements?: number): void {
    const { inputs, outputs, fixedBatch } = this.#signature;
    const rows = rowsIn(this.#signature, feeds);
    const isWhole = rows === 1 || fixedBatch !== null;
    const size = this.#sizeOf(feeds);
    this.#classes.add(classOf(size));
    this.#firstLeft = Math.max(0, this.#firstLeft - 1);
    const all = [...Object.values(feeds), ...Object.values(answers)];
    if (elementsIn(all) / (isWhole ? 1 : rows) > MAX_ELEMENTS) return;
    const ownFeeds = firstRows(inputs, feeds, isWhole ? 1 : rows);
    const ownAnswers = firstRows(outputs, answers, isWhole ? 1 : rows, true);
    const held = elementsIn(Object.values(ownFeeds));
    this.#waiting.push({ feeds: ownFeeds, answers: ownAnswers, size, elements: elements ?? held, held });
  }

  get areWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Removes and returns the smallest item that waits; `null` if none does. */
  next(): AnsweredItem | null {
    const [smallest = null, ...others] = this.#waiting.toSorted((a, b) => a.elements - b.elements);
    this.#waiting = others;
    return smallest;
  }

  get #waitingElements(): number {
    return this.#waiting.reduce((sum, { held }) => sum + held, 0);
  }

  #sizeOf(feeds: Sizes): ItemSize {
    return this.#signature.inputs.flatMap(({ name, batchAxis }) => {
      const dims = givenIn(feeds, name)?.dims ?? [];
      return dims.filter((_, axis) => axis !== batchAxis);
    });
  }
}

function elementsIn(tensors: readonly Pick<Tensor, "data">[]): number {
  return tensors.reduce((sum, { data }) => sum + data.length, 0);
}

/** Sizes of one class are less than a doubling apart. */
function classOf(size: ItemSize): string {
  return size.map((dim) => Math.floor(Math.log2(dim))).join();
}

/**
 * Returns copies of the first row of each tensor. Of several rows, a tensor that all of them share is copied whole, and
 * an answer that is not one row for each item is left out.
 */
function firstRows(
  infos: ModelSignature["inputs"],
  tensors: Tensors,
  rows: number,
  areAnswers = false,
): Record<string, Tensor> {
  return Object.fromEntries(
    infos.flatMap(({ name, batchAxis }): [string, Tensor][] => {
      const tensor = givenIn(tensors, name);
      if (tensor === undefined) return [];
      const isSplit = rows > 1 && batchAxis !== null && tensor.dims[batchAxis] === rows;
      if (areAnswers && rows > 1 && !isSplit) return [];
      return [[name, partOf(tensor, isSplit ? tensor.dims.with(batchAxis, 1) : tensor.dims)]];
    }),
  );
}

function partOf({ type, dims, data }: Tensor, sizes: readonly number[]): Tensor {
  return { type, dims: sizes, data: readRegion(data, { dims, starts: dims.map(() => 0), sizes }) };
}
