import { type OutputPlan, planOutput, splitOutput } from "./split.js";
import { stackInput } from "./stack.js";
import type { Validation } from "./input-range.js";
import type { ItemShape } from "../shape.js";
import type { ModelSignature } from "../model/signature.js";
import type { PaddingPlan } from "../padding/plan.js";
import type { Row, RowContent } from "./prepared-item.js";
import { InputReader } from "./input-reader.js";
import { type InputPlan, planInputs } from "./input-plan.js";
import type { MoveBuffer } from "./intake.js";
import type { Tensor } from "../tensor/tensor.js";

/**
 * Turns items into the feeds of one run and its outputs back into a result for each item. Holds no item: whatever it hands out
 * belongs to the caller alone, but for the data of rows that are released.
 */
export class Collator {
  readonly #padding: PaddingPlan;
  readonly #inputs: readonly InputPlan[];
  readonly #outputs: readonly OutputPlan[];
  readonly #reader: InputReader;

  /** @throws `INVALID_OPTION` where `validate` asks for what no input can be held to. */
  constructor(signature: ModelSignature, padding: PaddingPlan, validate: Validation = {}) {
    const { extents, extentBySymbol } = padding;
    this.#padding = padding;
    this.#inputs = planInputs(signature, padding, validate);
    this.#outputs = signature.outputs.map((output) => planOutput(output, extents, extentBySymbol));
    this.#reader = new InputReader(this.#inputs, padding);
  }

  /**
   * Checks one item (a record of tensors, or the tensor alone where one input needs it) and copies its elements; or moves
   * them with `move`, where a buffer holds nothing else and the item is not refused.
   * @throws `INVALID_INPUT`, naming the input, what was expected, what came, and the fix.
   */
  admit(item: unknown, move?: MoveBuffer): Row {
    return this.#reader.read(item, move);
  }

  /** Takes back the memory of rows that have their results: nobody may look at their data again. */
  release(rows: readonly Row[]): void {
    this.#reader.release(rows);
  }

  shapeOf(row: Row): ItemShape {
    return row.shape;
  }

  /**
   * The feeds of one run, in fresh memory that may be transferred. `rows` (at least one) are of one group; `paddedSize` is at
   * least their number, and `extents` are at least those of each row's shape. Rows added to reach `paddedSize` repeat the last
   * one, which the model is known to stand.
   */
  stack(rows: readonly RowContent[], paddedSize: number, extents: readonly number[]): Record<string, Tensor> {
    const targets = this.#targets(rows, extents);
    const feeds: Record<string, Tensor> = {};
    for (const [index, plan] of this.#inputs.entries()) {
      feeds[plan.name] = stackInput({ plan, index, extents: this.#padding.extents, targets }, rows, paddedSize);
    }
    return feeds;
  }

  /**
   * Each row's own outputs, in the rows' order, padding removed, each tensor in memory of its own. Takes what `stack` took.
   * @throws `INFERENCE_FAILED` where an output is missing, or has another number of rows than the batch.
   */
  split(
    rows: readonly RowContent[],
    outputs: Readonly<Record<string, Tensor>>,
    paddedSize: number,
    extents: readonly number[],
  ): Record<string, Tensor>[] {
    const targets = this.#targets(rows, extents);
    const split = this.#outputs.map((plan) => splitOutput(plan, outputs[plan.info.name], rows, paddedSize, targets));
    return rows.map((_, position) => {
      const result: Record<string, Tensor> = {};
      for (let index = 0; index < split.length; index++) {
        const plan = this.#outputs[index];
        const tensor = split[index]?.[position];
        if (plan !== undefined && tensor !== undefined) result[plan.info.name] = tensor;
      }
      return result;
    });
  }

  /** Sizes in the order of `PaddingPlan.extents`: the padded ones, then those in which all rows of a group are alike. */
  #targets(rows: readonly RowContent[], extents: readonly number[]): readonly number[] {
    const sizes = rows[0]?.sizes ?? [];
    return sizes.length === extents.length ? extents : [...extents, ...sizes.slice(this.#padding.paddedCount)];
  }
}
