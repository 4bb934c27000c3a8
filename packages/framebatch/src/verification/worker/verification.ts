import { Collator } from "@framebatch/rows/collate/collator.js";
import { type InputPlan, planInputs } from "@framebatch/rows/collate/input-plan.js";
import { checkItems, type CheckSubject, type Finding } from "./batch-check.js";
import { type GeneratedItem, itemOfFeeds, rowsIn } from "./items.js";
import type { Tensors } from "./check-runs.js";
import { tellsNothing } from "./check-tolerance.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { givenIn, type Tensor } from "@framebatch/rows/tensor/tensor.js";
import { readRegion } from "@framebatch/rows/tensor/region.js";

/** Number of items before the first check of real items. Each further check waits for twice as many. */
const FIRST_CHECK = 4;
/** Number of latest items from which a check chooses those that may share a batch. */
const KEPT_ITEMS = 8;
/** Minimum number of items in a check. */
const MIN_COMPARED = 2;
/** Maximum number of items in a check. */
const MAX_COMPARED = 4;
/** Maximum number of checks that an item causes because it differs where no other has. */
const MAX_TELLING_CHECKS = 8;

interface Seen {
  readonly item: GeneratedItem;
  /** See `ItemShape`: items of different groups never share a batch. */
  readonly group: string;
}

/**
 * Checks whether a batch returns the same outputs as its items alone, using items that requests run alone. For n items,
 * makes at most log2(n) checks of at most four items, and examines no more than eight items before each; and a few more
 * as soon as an item differs in an output in which all others were alike. What one check has told counts in the next.
 */
export class Verification {
  readonly #subject: CheckSubject;
  readonly #onFinding: (finding: Finding) => void;
  readonly #collator: Collator;
  readonly #plans: readonly InputPlan[];
  #kept: Seen[] = [];
  /** Outputs by which items have differed. */
  #told: ReadonlySet<string> = new Set();
  #telling = new TellingItems([]);
  #leftTelling = MAX_TELLING_CHECKS;
  #count = 0;
  #nextCheck = FIRST_CHECK;
  #isBusy = false;
  #isOver = false;

  /** @param onFinding called at most once, with the outcome, which is never "inconclusive" */
  constructor(subject: CheckSubject, onFinding: (finding: Finding) => void) {
    this.#subject = subject;
    this.#onFinding = onFinding;
    this.#collator = new Collator(subject.signature, subject.padding);
    this.#plans = planInputs(subject.signature, subject.padding);
  }

  /** Makes a check. Ignores items that run in the meantime. @throws the error of the check; there is no finding then */
  async make(check: () => Promise<Finding | null>): Promise<void> {
    this.#isBusy = true;
    try {
      const finding = await check();
      if (finding === null) return;
      if (finding.outcome === "inconclusive") return this.#goOn(finding);
      this.#isOver = true;
      this.#onFinding(finding);
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * Records a request that has run, if it has one item. Nothing may change the feeds afterwards; the outputs may move
   * elsewhere.
   */
  saw(feeds: Tensors, outputs: Tensors): void {
    const { signature } = this.#subject;
    if (this.#isOver || rowsIn(signature, feeds) !== (signature.fixedBatch ?? 1)) return;
    this.#count += 1;
    if (this.#isBusy) return;
    const isTelling = this.#leftTelling > 0 && this.#telling.differs(outputs);
    if (!isTelling && !this.#isNear && this.#kept.length >= MIN_COMPARED) return;
    this.#keep(itemOfFeeds(this.#plans, feeds));
    if (isTelling) this.#leftTelling -= 1;
    if (isTelling || this.#count >= this.#nextCheck) this.#checkKept();
  }

  /** Whether one of the next items is the last before a check. */
  get #isNear(): boolean {
    return this.#count > this.#nextCheck - KEPT_ITEMS;
  }

  #goOn({ told }: Finding): void {
    const { outputs } = this.#subject.signature;
    // A check that gives none has not failed for want of items that differ.
    const untold = told === undefined ? [] : outputs.filter(({ name }) => !told.has(name));
    this.#told = told ?? this.#told;
    this.#telling = new TellingItems(untold.map(({ name }) => name));
  }

  #keep(item: GeneratedItem): void {
    const { group } = this.#collator.admit(item).shape;
    this.#kept = [...this.#kept, { item, group }].slice(-KEPT_ITEMS);
  }

  #checkKept(): void {
    const group = this.#kept.at(-1)?.group;
    const alike = this.#kept.filter((seen) => seen.group === group).slice(-MAX_COMPARED);
    if (alike.length < MIN_COMPARED) return;
    this.#kept = [];
    this.#nextCheck = 2 * this.#count;
    const items = alike.map(({ item }) => item);
    void this.make(() => checkItems(this.#subject, items, this.#told)).catch(() => undefined);
  }
}

/**
 * Finds items that differ in outputs by which no check has told items apart, such as the label of a rare class: without
 * them, no check of real items would ever end.
 */
class TellingItems {
  /** Outputs that have told nothing yet. Empty before a check has been made. */
  readonly #untold: readonly string[];
  /** The untold outputs of the first item. */
  #first: Tensors | null = null;

  constructor(untold: readonly string[]) {
    this.#untold = untold;
  }

  /** Returns whether the item of these outputs differs from the first one. Keeps a copy of what it needs. */
  differs(outputs: Tensors): boolean {
    if (this.#untold.length === 0) return false;
    const first = (this.#first ??= this.#copied(outputs));
    return this.#untold.some((name) => !tellsNothing(name, [first, outputs]));
  }

  #copied(outputs: Tensors): Tensors {
    const kept = this.#untold.flatMap((name) => {
      const tensor = outputs[name];
      return tensor === undefined ? [] : [[name, { ...tensor, data: tensor.data.slice() }] as const];
    });
    return Object.fromEntries(kept);
  }
}

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
