import type { Collator } from "@framebatch/rows/collate/collator.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { enclosing } from "@framebatch/batcher/queue/shape.js";
import type { StateTensor } from "@framebatch/rows/model/recurrence.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PaddingPlan } from "@framebatch/rows/padding/padding-plan.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { Answer } from "./check-tolerance.js";
import { endsWorker, runError } from "../../worker/ort/runtime-error.js";

export type Tensors = Readonly<Record<string, Tensor>>;
export type RunFeeds = (feeds: Tensors) => Promise<Tensors>;

/** Runs rows on the same path to the model and back as requests. */
export interface RowRunner {
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  /** Each row then makes several steps, and its answers are those of all of them. @default [] */
  readonly states?: readonly StateTensor[];
  /** Maximum number of rows in a batch. */
  readonly most: number;
  /** Number of rows in the largest batch to compare. */
  readonly wide: number;
  /** Runs one item. If `runBatch` runs a rewritten model, this runs the original. */
  readonly runAlone: RunFeeds;
  readonly runBatch: RunFeeds;
}

/** Number of steps that a model with states makes: the second starts from a state of the model itself. */
const STEPS = 3;

/** Outputs of rows, or the error of a failed run. */
export type Answered = { readonly answers: readonly Answer[] } | { readonly failure: FramebatchError };

/**
 * Runs rows alone, at the sizes that requests have alone, or together, all padded to the largest size. Batches of the
 * same number of rows then differ only in their contents.
 */
export class CheckRuns {
  readonly #runner: RowRunner;
  readonly #collator: Collator;
  readonly #extents: readonly number[];

  constructor(runner: RowRunner, collator: Collator, all: readonly PreparedItem[]) {
    this.#runner = runner;
    this.#collator = collator;
    this.#extents = all.map(({ shape }) => shape.extents).reduce(enclosing);
  }

  /** Runs each row at its own size; as `LoneSizes` does, at the rounded size if the model rejects its own. */
  async alone(rows: readonly PreparedItem[]): Promise<Answered> {
    const answers: Answer[] = [];
    for (const row of rows) {
      const run = (extents: readonly number[]) => this.#answers(this.#runner.runAlone, [{ group: [row], extents }]);
      const own = await run(row.sizes);
      const isRejected = "failure" in own && own.failure.code === "INFERENCE_FAILED";
      const alone = isRejected && row.shape.ownExtents !== undefined ? await run(row.shape.extents) : own;
      if ("failure" in alone) return alone;
      answers.push(...alone.answers);
    }
    return { answers };
  }

  /** Runs the rows as one batch. If batches have one row, runs each row separately, padded as in a batch. */
  together(rows: readonly PreparedItem[]): Promise<Answered> {
    const extents = this.#extents;
    const groups = this.#runner.most === 1 ? rows.map((row) => [row]) : [rows];
    return this.#answers(
      this.#runner.runBatch,
      groups.map((group) => ({ group, extents })),
    );
  }

  /**
   * Runs the rows, and then again with the states that they have come to. Answers of later steps have names of their
   * own.
   */
  async #steps(run: RunFeeds, group: readonly PreparedItem[], extents: readonly number[]): Promise<Answer[]> {
    const { signature, states = [] } = this.#runner;
    const paddedSize = signature.fixedBatch ?? group.length;
    let rows = group;
    let all: Answer[] = group.map(() => ({}));
    for (let step = 1; step <= (states.length > 0 ? STEPS : 1); step++) {
      const outputs = await run(this.#collator.stack(rows, paddedSize, extents));
      const answers = this.#collator.split(rows, outputs, paddedSize, extents);
      all = all.map((before, row) => ({ ...before, ...namedByStep(answers[row]!, step) }));
      rows = rows.map((row, index) => nextRow(row, answers[index]!, states));
    }
    return all;
  }

  /** @throws an error that ends the worker */
  async #answers(
    run: RunFeeds,
    groups: readonly { readonly group: readonly PreparedItem[]; readonly extents: readonly number[] }[],
  ): Promise<Answered> {
    const answers: Answer[] = [];
    try {
      for (const { group, extents } of groups) {
        answers.push(...(await this.#steps(run, group, extents)));
      }
      return { answers };
    } catch (thrown) {
      const { error } = runError(thrown);
      if (endsWorker(thrown)) throw error;
      return { failure: error };
    }
  }
}

function namedByStep(answer: Answer, step: number): Answer {
  if (step === 1) return answer;
  return Object.fromEntries(Object.entries(answer).map(([name, tensor]) => [`${name}" at step "${step}`, tensor]));
}

function nextRow(row: PreparedItem, answer: Answer, states: readonly StateTensor[]): PreparedItem {
  const data = [...row.data];
  for (const { index, output } of states) data[index] = answer[output.name]?.data ?? null;
  return { ...row, data };
}
