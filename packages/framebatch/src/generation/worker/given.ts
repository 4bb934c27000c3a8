import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { givenIn } from "@framebatch/rows/tensor/record.js";
import { setElements } from "@framebatch/rows/tensor/writing.js";
import type { Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";

type Given = Readonly<Record<string, Tensor>>;

/** Returns an input of a batch: the tensors of its texts, which have equal sizes. An input without a batch axis is that of the first. */
export function stackGiven({ name, type, batchAxis }: TensorInfo, texts: readonly Given[]): Tensor {
  const tensors = texts.map((given) => {
    const tensor = givenIn(given, name);
    if (tensor === undefined) throw new RangeError(`expected the input "${name}" in what a text gives, got none`);
    return tensor;
  });
  const [first] = tensors;
  if (first === undefined) throw new RangeError("expected a text, got none");
  if (batchAxis === null || tensors.length === 1) return first;
  const length = first.data.length;
  const data = elementOf(type).create(length * tensors.length);
  for (const [row, tensor] of tensors.entries()) setElements(data, tensor.data, row * length);
  return { type, dims: first.dims.with(batchAxis, tensors.length), data };
}

/** Returns what texts that share a step must have in common of what they give: the sizes, and the content of what they share. */
export function givenKey(inputs: readonly TensorInfo[], given: Given): string {
  return JSON.stringify(
    inputs.map(({ name, batchAxis }) => {
      const tensor = givenIn(given, name);
      return [tensor?.dims, batchAxis === null ? Array.from(tensor?.data ?? [], String) : null];
    }),
  );
}
