import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { givenIn, type Tensor, type TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { setElements } from "@framebatch/rows/tensor/writing.js";
import type { Decoder } from "../decoder.js";
import { joinTensors } from "./cache-rows.js";

/** What a text gives, by the names of inputs, with a batch axis of 1. */
export type Given = Readonly<Record<string, Tensor>>;

/** What texts that share a step must have in common of what they give. */
export interface GivenKeys {
  /** Without padding: all sizes, and the content of what they share. */
  readonly ofEqual: string;
  /** With padding: the same, without the numbers of positions. */
  readonly ofPadded: string;
}

type GivenInputs = Pick<Decoder, "given" | "givenMask">;

/** Returns the axis of the positions that the mask is about; `null` for an input without one, and without a mask. */
function positionsOf({ name, symbols, batchAxis }: TensorInfo, { givenMask }: GivenInputs): number | null {
  if (givenMask === null || batchAxis !== 0) return null;
  if (name === givenMask.name) return 1;
  const symbol = givenMask.symbols[1] ?? null;
  const axis = symbol === null ? -1 : symbols.indexOf(symbol);
  return axis > 0 ? axis : null;
}

/** Returns the number of positions of what a text gives, by its mask; 0 without one. */
export function givenLength(given: Given, { givenMask }: GivenInputs): number {
  return (givenMask === null ? undefined : givenIn(given, givenMask.name))?.dims[1] ?? 0;
}

/**
 * Returns an input of a batch: the tensors of its texts. Those that have fewer positions are filled up with zeros,
 * which the mask has for positions that do not count. An input without a batch axis is that of the first text.
 */
export function stackGiven(input: TensorInfo, inputs: GivenInputs, texts: readonly Given[]): Tensor {
  const tensors = texts.map((given) => tensorIn(given, input.name));
  const [first] = tensors;
  if (first === undefined) throw new RangeError("expected a text, got none");
  if (input.batchAxis === null || tensors.length === 1) return first;
  const axis = positionsOf(input, inputs);
  if (axis === null) return concatenated(first, tensors);
  const rows = tensors.map((tensor) => ({ tensor, row: 0, length: tensor.dims[axis]! }));
  return joinTensors({ axis, batchAxis: 0 }, rows, "right");
}

function tensorIn(given: Given, name: string): Tensor {
  const tensor = givenIn(given, name);
  if (tensor === undefined) throw new RangeError(`expected the input "${name}" in what a text gives, got none`);
  return tensor;
}

function concatenated({ type, dims, data: { length } }: Tensor, tensors: readonly Tensor[]): Tensor {
  const data = elementOf(type).create(length * tensors.length);
  for (const [row, tensor] of tensors.entries()) setElements(data, tensor.data, row * length);
  return { type, dims: dims.with(0, tensors.length), data };
}

export function givenKeys(given: Given, inputs: GivenInputs): GivenKeys {
  const keyOf = (isPadded: boolean) =>
    JSON.stringify(
      inputs.given.map((input) => {
        const tensor = givenIn(given, input.name);
        const axis = isPadded ? positionsOf(input, inputs) : null;
        const dims = axis === null ? tensor?.dims : tensor?.dims.with(axis, 0);
        return [dims, input.batchAxis === null ? Array.from(tensor?.data ?? [], String) : null];
      }),
    );
  return { ofEqual: keyOf(false), ofPadded: keyOf(true) };
}

/** Returns the same with some more positions: the first ones once more, `count` at most. */
export function lengthened(given: Given, inputs: GivenInputs, count: number): Given {
  return Object.fromEntries(
    inputs.given.map((input) => {
      const tensor = tensorIn(given, input.name);
      const axis = positionsOf(input, inputs);
      if (axis === null) return [input.name, tensor];
      const { type, dims } = tensor;
      const length = dims[axis]!;
      const longer = dims.with(axis, length + Math.min(count, length));
      const data = elementOf(type).create(volumeOf(longer));
      const inner = volumeOf(dims.slice(axis + 1));
      const [from, to] = [length * inner, longer[axis]! * inner];
      for (let block = 0; block * to < data.length; block++) {
        const own = tensor.data.slice(block * from, (block + 1) * from);
        setElements(data, own, block * to);
        setElements(data, own.slice(0, to - from), block * to + from);
      }
      return [input.name, { type, dims: longer, data }];
    }),
  );
}
