import { Collator } from "../../core/collate/collator.js";
import { planInputs, type InputPlan } from "../../core/collate/input-plan.js";
import { checkItems, type CheckSubject, type Finding } from "./batch-check.js";
import { itemOfFeeds, rowsIn } from "../samples/items.js";
import type { Item } from "../samples/made-up-items.js";
import type { Tensors } from "./row-runs.js";

/** Items after which the first check of real ones is made; the next one is made after twice as many as the one before. */
const FIRST_CHECK = 4;
/** Items of which a check chooses those that may share a batch. */
const KEPT_ITEMS = 8;
/** Items that a check compares, of those that may share a batch. */
const LEAST_COMPARED = 2;
const MOST_COMPARED = 4;

interface Seen {
  readonly item: Item;
  /** As in `ItemShape`: items of different groups never share a batch. */
  readonly group: string;
}

/**
 * Finds out from the items that run alone whether a batch of them gets the same answers. Of n items it makes at most log2(n) checks
 * of at most four items, and looks at no more than eight items before each.
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

  /** @param onFinding hears the outcome once it is known: never "inconclusive" */
  constructor(subject: CheckSubject, onFinding: (finding: Finding) => void) {
    this.#subject = subject;
    this.#onFinding = onFinding;
    this.#collator = new Collator(subject.signature, subject.padding);
    this.#plans = planInputs(subject.signature, subject.padding);
  }

  /** Makes a check; items that run meanwhile are not looked at. Ends without a finding where the check ends the worker. */
  async make(check: () => Promise<Finding>): Promise<void> {
    this.#isBusy = true;
    try {
      const finding = await check();
      if (finding.outcome === "inconclusive") return;
      this.#isOver = true;
      this.#onFinding(finding);
    } finally {
      this.#isBusy = false;
    }
  }

  /** A request has run on these feeds, which nothing changes any more. Only those of one item tell anything. */
  saw(feeds: Tensors): void {
    const { signature } = this.#subject;
    if (this.#isOver || rowsIn(signature, feeds) !== (signature.fixedBatch ?? 1)) return;
    this.#count += 1;
    if (this.#isBusy || this.#count <= this.#nextCheck - KEPT_ITEMS) return;
    this.#keep(itemOfFeeds(this.#plans, feeds));
    if (this.#count >= this.#nextCheck) this.#checkKept();
  }

  #keep(item: Item): void {
    const { group } = this.#collator.admit(item).shape;
    this.#kept = [...this.#kept, { item, group }].slice(-KEPT_ITEMS);
  }

  #checkKept(): void {
    const group = this.#kept.at(-1)?.group;
    const alike = this.#kept.filter((seen) => seen.group === group).slice(-MOST_COMPARED);
    if (alike.length < LEAST_COMPARED) return;
    this.#kept = [];
    this.#nextCheck = 2 * this.#count;
    const items = alike.map(({ item }) => item);
    void this.make(() => checkItems(this.#subject, items)).catch(() => undefined);
  }
}
