import { createBatchedModel, type TensorInfo } from "framebatch";
import type { BenchInput, BenchModel, Lengths } from "./models.js";
import type { InputType } from "./ort/tensors.js";
import type { Backend } from "./results.js";
import type { OwnModel } from "./spec.js";

/** Lengths of generated items, if the model does not define them. */
const LENGTHS: Lengths = { least: 8, most: 64, step: 1, pads: true };

/** Integers are random from 0 to this (exclusive), which is small enough for the ids or classes of most models. */
const WHOLE_BELOW = 8;

const INPUT_TYPES: readonly InputType[] = ["float32", "int32", "int64", "uint8"];

/**
 * Describes a user's model by its metadata.
 * @throws Error when the benchmark cannot generate its inputs
 */
export async function describeModel(own: OwnModel, backend: Backend): Promise<BenchModel> {
  const model = await createBatchedModel(own.url, { executionProviders: [backend], warmup: false, verify: false });
  await model.dispose();
  return modelOf(own, model.inputs);
}

/**
 * Describes a model by its inputs. Items are padded if their first dimension varies, as that of tokens: the batchers by
 * hand pad no other one.
 */
export function modelOf({ name, url, length }: OwnModel, infos: readonly TensorInfo[]): BenchModel {
  const inputs = infos.map(describeInput);
  if (!inputs.some(({ dims }) => dims.includes(null))) return { name, url, inputs };
  const pads = inputs.every(({ dims }) => dims.indexOf(null) <= 0);
  const { least, most } = length === undefined ? LENGTHS : { least: length, most: length };
  return { name, url, inputs, lengths: { ...LENGTHS, least, most, pads } };
}

function describeInput({ name, type, dims, batchAxis }: TensorInfo): BenchInput {
  const known = INPUT_TYPES.find((each) => each === type);
  const itemDims = dims.slice(1);
  if (known === undefined || batchAxis !== 0 || itemDims.filter((size) => size === null).length > 1) {
    const wanted = `${INPUT_TYPES.join(", ")} with the batch in front and at most one more dynamic dimension`;
    throw new Error(
      `Expected the input "${name}" to be ${wanted}, got ${type} [${dims.join(", ")}] with the batch at ${batchAxis}.`,
    );
  }
  const isMask = /mask/i.test(name);
  return { name, type: known, dims: itemDims, below: isMask ? "ones" : known === "float32" ? 1 : WHOLE_BELOW };
}
