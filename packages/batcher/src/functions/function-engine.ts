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

  async #run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): Promise<void> {
    done(await this.#outcomeOf(batch));
  }

  async #outcomeOf({ items, paddedSize }: Batch<Item>): Promise<Outcome<Result>> {
    try {
      const padding = Array.from({ length: paddedSize - items.length }, () => items.at(-1)!);
      // A copy of the list: an untyped function may empty it while it works.
      const results = await this.#runBatch([...items, ...padding]);
      if (!isList(results)) throw notAList(results);
      return { results: results.length === paddedSize ? results.slice(0, items.length) : results };
    } catch (thrown) {
      const error = isError(thrown) ? thrown : asError(thrown);
      return { error, divisible: isAboutItems(error) };
    }
  }
}

/** Returns true for a list: an untyped function may return anything. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function notAList(got: unknown): FramebatchError {
  const message = `runBatch: expected a list of results, got ${typeof got}; return one result for each item, in order`;
  return new FramebatchError("INFERENCE_FAILED", message);
}
