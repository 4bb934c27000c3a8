import type { Collator } from "../../core/collate/collator.js";
import type { FramebatchError } from "../../core/errors.js";
import { enclosing } from "../../core/shape.js";
import type { ModelSignature } from "../../core/model/signature.js";
import type { PaddingPlan } from "../../core/padding/plan.js";
import type { Row } from "../../core/collate/prepared-item.js";
import type { Tensor } from "../../core/tensor/tensor.js";
import type { Answer } from "./answers.js";
import { endsWorker, runError } from "../ort/runtime-error.js";

export type Tensors = Readonly<Record<string, Tensor>>;
export type RunFeeds = (feeds: Tensors) => Promise<Tensors>;

/** Where rows run: the way there and back is the one that requests take. */
export interface RowRunner {
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  /** Rows that a batch may have. */
  readonly most: number;
  /** Runs one item: on the model as it came, where `runBatch` has a rewritten one. */
  readonly runAlone: RunFeeds;
  readonly runBatch: RunFeeds;
}

/** Answers, or why there are none. */
export type Answered = { readonly answers: readonly Answer[] } | { readonly failure: FramebatchError };

/** Runs rows alone, each of its own size, and together, all padded to the largest: batches of the same size differ in nothing else. */
export class RowRuns {
  readonly #runner: RowRunner;
  readonly #collator: Collator;
  readonly #extents: readonly number[];

  constructor(runner: RowRunner, collator: Collator, all: readonly Row[]) {
    this.#runner = runner;
    this.#collator = collator;
    this.#extents = all.map(({ shape }) => shape.extents).reduce(enclosing);
  }

  alone(rows: readonly Row[]): Promise<Answered> {
    const { padding, runAlone } = this.#runner;
    const groups = rows.map((row) => ({ group: [row], extents: row.sizes.slice(0, padding.paddedCount) }));
    return this.#answers(runAlone, groups);
  }

  /** Where batches are of one row, each is padded as in a batch. */
  together(rows: readonly Row[]): Promise<Answered> {
    const extents = this.#extents;
    const groups = this.#runner.most === 1 ? rows.map((row) => [row]) : [rows];
    return this.#answers(
      this.#runner.runBatch,
      groups.map((group) => ({ group, extents })),
    );
  }

  /** @throws what ends the worker */
  async #answers(
    run: RunFeeds,
    groups: readonly { readonly group: readonly Row[]; readonly extents: readonly number[] }[],
  ): Promise<Answered> {
    const answers: Answer[] = [];
    try {
      for (const { group, extents } of groups) {
        const paddedSize = this.#runner.signature.fixedBatch ?? group.length;
        const outputs = await run(this.#collator.stack(group, paddedSize, extents));
        answers.push(...this.#collator.split(group, outputs, paddedSize, extents));
      }
      return { answers };
    } catch (thrown) {
      if (endsWorker(thrown)) throw thrown;
      return { failure: runError(thrown).error };
    }
  }
}
