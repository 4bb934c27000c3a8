import { givenIn, setOwn } from "../tensor/record.js";
import type { ModelSignature } from "../model/signature.js";
import { volumeOf } from "../shape.js";
import { elementOf, type TensorElement } from "../tensor/element-types.js";
import { readRegion, writeRegion } from "../tensor/region.js";
import type { Tensor } from "../tensor/tensor.js";

type Tensors = Readonly<Record<string, Tensor>>;

/** A tensor of the model, and its batch axis. */
interface MergedTensor {
  readonly name: string;
  readonly axis: number;
  readonly element: TensorElement;
}

/** Merges the feeds of several runs of one model into those of one run, and splits its outputs by run. */
export class RunMerger {
  readonly #inputs: readonly MergedTensor[];
  readonly #outputs: readonly MergedTensor[];

  private constructor(inputs: readonly MergedTensor[], outputs: readonly MergedTensor[]) {
    this.#inputs = inputs;
    this.#outputs = outputs;
  }

  /** Returns `null` for a model whose runs cannot be merged: its batch size is fixed, or a tensor has no batch axis. */
  static for({ inputs, outputs, fixedBatch }: ModelSignature): RunMerger | null {
    const merged = [inputs, outputs].map((tensors) =>
      tensors.flatMap(({ name, type, batchAxis }) =>
        batchAxis === null ? [] : [{ name, axis: batchAxis, element: elementOf(type) }],
      ),
    );
    const [ins = [], outs = []] = merged;
    const isWhole = ins.length === inputs.length && outs.length === outputs.length;
    return isWhole && fixedBatch === null ? new RunMerger(ins, outs) : null;
  }

  /** Returns a string that is equal for feeds that can be merged: those whose rows have the same sizes. */
  kindOf(feeds: Tensors): string {
    return this.#inputs.map(({ name, axis }) => givenIn(feeds, name)?.dims.toSpliced(axis, 1).join("x")).join();
  }

  /** Returns the feeds of one run with the rows of several, in new memory. The feeds are of one kind. */
  merge(runs: readonly Tensors[]): Tensors {
    const merged: Record<string, Tensor> = {};
    for (const input of this.#inputs) {
      const parts = runs.flatMap((feeds) => givenIn(feeds, input.name) ?? []);
      if (parts.length > 0) setOwn(merged, input.name, concatenated(parts, input));
    }
    return merged;
  }

  /**
   * Returns the outputs of each run, in memory of their own.
   * @param rows the number of rows of each run
   * @throws RangeError when an output does not have one entry per row
   */
  split(outputs: Tensors, rows: readonly number[]): Tensors[] {
    const all = rows.reduce((sum, count) => sum + count, 0);
    const runs: Record<string, Tensor>[] = rows.map(() => ({}));
    for (const { name, axis } of this.#outputs) {
      const output = givenIn(outputs, name);
      if (output?.dims[axis] !== all) throw new RangeError(`expected ${all} rows in the output ${name}`);
      let start = 0;
      for (const [run, count] of rows.entries()) {
        setOwn(runs[run]!, name, rowsOf(output, axis, start, count));
        start += count;
      }
    }
    return runs;
  }
}

function concatenated(parts: readonly Tensor[], { axis, element }: MergedTensor): Tensor {
  const rows = parts.reduce((sum, { dims }) => sum + dims[axis]!, 0);
  const dims = parts[0]!.dims.with(axis, rows);
  const data = element.create(volumeOf(dims));
  let start = 0;
  for (const part of parts) {
    writeRegion(data, { dims, starts: startsAt(dims, axis, start), sizes: part.dims }, part.data);
    start += part.dims[axis]!;
  }
  return { type: element.type, dims, data };
}

function rowsOf({ type, dims, data }: Tensor, axis: number, start: number, count: number): Tensor {
  const sizes = dims.with(axis, count);
  return { type, dims: sizes, data: readRegion(data, { dims, starts: startsAt(dims, axis, start), sizes }) };
}

function startsAt(dims: readonly number[], axis: number, start: number): number[] {
  return dims.map((_, index) => (index === axis ? start : 0));
}
