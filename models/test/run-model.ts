import * as ort from "onnxruntime-web/wasm";
import { generateModel } from "@framebatch/models/generate";

ort.env.wasm.numThreads = 1;

export type Tensors = Record<string, ort.Tensor>;

export function load(name: string): Promise<ort.InferenceSession> {
  return ort.InferenceSession.create(generateModel(name).bytes);
}

/** Loads a model, runs it once and gives the output of this name. */
export async function run(name: string, feeds: Tensors, output: string): Promise<ort.Tensor> {
  const session = await load(name);
  try {
    return tensorOf(await session.run(feeds), output);
  } finally {
    await session.release();
  }
}

export function tensorOf(tensors: ort.InferenceSession.OnnxValueMapType, name: string): ort.Tensor {
  const tensor = tensors[name];
  if (tensor === undefined) throw new Error(`expected an output named ${name}, got ${Object.keys(tensors).join(", ")}`);
  return tensor;
}

export function float32(data: Iterable<number>, dims: readonly number[]): ort.Tensor {
  return new ort.Tensor("float32", Float32Array.from(data), dims);
}

export function int64(data: Iterable<number>, dims: readonly number[]): ort.Tensor {
  return new ort.Tensor("int64", BigInt64Array.from(data, BigInt), dims);
}

/** `count` numbers between -1 and 1 that repeat nowhere in a test's reach. */
export function numbers(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, index) => Math.sin(1 + from + index));
}

export function valuesOf(tensor: ort.Tensor): number[] {
  return [...tensor.data].map(Number);
}

export function largestDifference(left: ort.Tensor, right: ort.Tensor): number {
  const others = valuesOf(right);
  return Math.max(...valuesOf(left).map((value, index) => Math.abs(value - (others[index] ?? Number.NaN))));
}
