import { type OutputPlan, planOutput, splitOutput } from "./split.js";
import { stackInput } from "./stack.js";
import type { Validation } from "./input-range.js";
import type { ModelSignature } from "../model/signature.js";
import type { PaddingPlan } from "../padding/plan.js";
import type { PreparedItem, RowContent } from "./prepared-item.js";
import { InputReader } from "./input-reader.js";
import { type InputPlan, planInputs } from "./input-plan.js";
import type { MoveBuffer } from "./intake.js";
import { givenIn, setOwn } from "../tensor/record.js";
import type { Tensor } from "../tensor/tensor.js";

/**
 * Collates items into the feeds of a run, and splits its outputs into one result per item. Keeps no items: everything
 * that it returns belongs to the caller. `release` returns the memory of rows.
 */
export class Collator {
  readonly #padding: PaddingPlan;
  readonly #inputs: readonly InputPlan[];
  readonly #outputs: readonly OutputPlan[];
  readonly #reader: InputReader;

  /** @throws INVALID_OPTION when `validate` does not fit the inputs. */
  constructor(signature: ModelSignature, padding: PaddingPlan, validate: Validation = {}) {
    const { extents, extentBySymbol } = padding;
    this.#padding = padding;
    this.#inputs = planInputs(signature, padding, validate);
    this.#outputs = signature.outputs.map((output) => planOutput(output, extents, extentBySymbol));
    this.#reader = new InputReader(this.#inputs, padding);
  }

  /**
   * Checks one item and copies its elements. The item is a record of tensors, or a single tensor if the model needs
   * only one. With `move`, arrays that fill their buffer are moved instead, when the row is taken.
   * @throws INVALID_INPUT when the item does not fit the model. The message names the input, the expected value, the
   * actual value, and the fix.
   */
  admit(item: unknown, move?: MoveBuffer): PreparedItem {
    return this.#reader.read(item, move);
  }

  /** Reuses the memory of rows that have their results. Their data must not be read afterwards. */
  release(rows: readonly PreparedItem[]): void {
    this.#reader.release(rows);
  }

  /**
   * Returns the feeds of one run, in new memory that may be transferred. `rows` holds at least one row, and all rows
   * are of one group. `paddedSize` is at least their number, and `extents` are at least those of each row's shape. Rows
   * added to reach `paddedSize` repeat the last row, because the model is known to accept it.
   * @throws OUT_OF_MEMORY when there is no memory for the feeds
   */
  stack(rows: readonly RowContent[], paddedSize: number, extents: readonly number[]): Record<string, Tensor> {
    const feeds: Record<string, Tensor> = {};
    for (const [index, plan] of this.#inputs.entries()) {
      const input = { plan, index, extents: this.#padding.extents, targets: extents };
      setOwn(feeds, plan.name, stackInput(input, rows, paddedSize));
    }
    return feeds;
  }

  /**
   * Returns the outputs of each row, in the order of the rows, without padding. Each tensor has its own memory. `rows`,
   * `paddedSize` and `extents` must be those of `stack`.
   * @throws INFERENCE_FAILED when an output is missing or its number of rows differs from the batch.
   */
  split(
    rows: readonly RowContent[],
    outputs: Readonly<Record<string, Tensor>>,
    paddedSize: number,
    extents: readonly number[],
  ): Record<string, Tensor>[] {
    const split = this.#outputs.map((plan) =>
      splitOutput(plan, givenIn(outputs, plan.info.name), rows, paddedSize, extents),
    );
    return rows.map((_, position) => {
      const result: Record<string, Tensor> = {};
      for (let index = 0; index < split.length; index++) {
        const plan = this.#outputs[index];
        const tensor = split[index]?.[position];
        if (plan !== undefined && tensor !== undefined) setOwn(result, plan.info.name, tensor);
      }
      return result;
    });
  }
}
