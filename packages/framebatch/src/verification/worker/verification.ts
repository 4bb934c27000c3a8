import { Collator } from "@framebatch/rows/collate/collator.js";
import { planInputs, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import { checkItems, type CheckSubject, type Finding } from "./batch-check.js";
import { itemOfFeeds, rowsIn } from "./items.js";
import type { GeneratedItem } from "./generated-items.js";
import type { Tensors } from "./check-runs.js";
import { tellsNothing } from "./check-tolerance.js";

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
