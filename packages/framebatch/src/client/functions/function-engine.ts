import type { Batch, Engine, Outcome } from "../../core/engine/engine.js";
import { FramebatchError } from "../../core/errors.js";

/** Computes a list of results from a list of items, in order; an `Error` among them fails its own item alone. */
export type RunBatch<Item, Result> = (
  items: readonly Item[],
) => Promise<readonly (Result | Error)[]> | readonly (Result | Error)[];

/** Runs batches with a function. Where sizes are padded, the last item is repeated, and the surplus results are dropped. */
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
      // A list of its own: a function without types may empty it as it goes.
      const results = await this.#runBatch([...items, ...padding]);
      if (!isList(results)) throw notAList(results);
      return { results: results.length === paddedSize ? results.slice(0, items.length) : results };
    } catch (error) {
      return { error: error instanceof Error ? error : new Error(String(error), { cause: error }), divisible: true };
    }
  }
}

/** Functions without types may return anything. */
function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function notAList(got: unknown): FramebatchError {
  const message = `runBatch: expected a list of results, got ${typeof got}; return one result for each item, in order`;
  return new FramebatchError("INFERENCE_FAILED", message);
}
