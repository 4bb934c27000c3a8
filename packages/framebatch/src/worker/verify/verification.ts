import { Collator } from "@framebatch/rows/collate/collator.js";
import { planInputs, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import { checkItems, type CheckSubject, type Finding } from "./batch-check.js";
import { itemOfFeeds, rowsIn } from "../samples/items.js";
import type { GeneratedItem } from "../samples/generated-items.js";
import type { Tensors } from "./row-runs.js";

/** Number of items before the first check of real items. Each further check waits for twice as many. */
const FIRST_CHECK = 4;
/** Number of latest items from which a check chooses those that may share a batch. */
const KEPT_ITEMS = 8;
/** Minimum number of items in a check. */
const MIN_COMPARED = 2;
/** Maximum number of items in a check. */
const MAX_COMPARED = 4;

interface Seen {
  readonly item: GeneratedItem;
  /** See `ItemShape`: items of different groups never share a batch. */
  readonly group: string;
}

/**
 * Checks whether a batch returns the same outputs as its items alone, using items that requests run alone. For n items,
 * makes at most log2(n) checks of at most four items, and examines no more than eight items before each.
 */
export class Verification {
  readonly #subject: CheckSubject;
  readonly #onFinding: (finding: Finding) => void;
  readonly #collator: Collator;
  readonly #plans: readonly InputPlan[];
  #kept: Seen[] = [];
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
      if (finding === null || finding.outcome === "inconclusive") return;
      this.#isOver = true;
      this.#onFinding(finding);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Records the feeds of a request that has run, if it has one item. Nothing may change the feeds afterwards. */
  saw(feeds: Tensors): void {
    const { signature } = this.#subject;
    if (this.#isOver || rowsIn(signature, feeds) !== (signature.fixedBatch ?? 1)) return;
    this.#count += 1;
    if (this.#isBusy || this.#count <= this.#nextCheck - KEPT_ITEMS) return;
    this.#keep(itemOfFeeds(this.#plans, feeds));
    if (this.#count >= this.#nextCheck) this.#checkKept();
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
    void this.make(() => checkItems(this.#subject, items)).catch(() => undefined);
  }
}
