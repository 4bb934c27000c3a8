import type { Batch, Engine, Outcome } from "../engine/engine.js";
import { asError, FramebatchError } from "../errors/errors.js";
import { isAboutItems } from "../errors/blame.js";
import { isError } from "../errors/is-error.js";

/**
 * Computes the results of a batch: one for each item, in the order of the items. An `Error` in the list rejects only
 * its own item. The list of items is a copy for this call. With `allowedBatchSizes` its last item may be repeated as
 * padding, and each repetition needs a result too. The function may return a promise or the list itself.
 */
export type RunBatch<Item, Result> = (
  items: Item[],
) => Promise<readonly (Result | Error)[]> | readonly (Result | Error)[];

/**
 * Runs batches with a function. To pad a batch, it repeats the last item and drops the surplus results.
 */
export class FunctionEngine<Item, Result> implements Engine<Item, Result> {
  readonly #runBatch: RunBatch<Item, Result>;

  constructor(runBatch: RunBatch<Item, Result>) {
    this.#runBatch = runBatch;
  }

  run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): void {
    void this.#run(batch, done);
  }

  async #run({ items, paddedSize }: Batch<Item>, done: (outcome: Outcome<Result>) => void): Promise<void> {
    let outcome: Outcome<Result>;
    try {
      // A copy of the list: an untyped function may empty it while it works.
      const padded = [...items];
      while (padded.length < paddedSize) padded.push(items.at(-1)!);
      const results = await this.#runBatch(padded);
      // An untyped function may return anything.
      const list: unknown = results;
      if (!Array.isArray(list)) throw notAList(list);
      outcome = { results: results.length === paddedSize ? results.slice(0, items.length) : results };
    } catch (thrown) {
      const error = isError(thrown) ? thrown : asError(thrown);
      outcome = { error, divisible: isAboutItems(error) };
    }
    done(outcome);
  }
}

function notAList(got: unknown): FramebatchError {
  const message = `runBatch: expected a list of results, got ${typeof got}; return one result for each item, in order`;
  return new FramebatchError("INFERENCE_FAILED", message);
}
