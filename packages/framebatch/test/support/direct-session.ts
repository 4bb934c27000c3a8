import * as ort from "onnxruntime-web/wasm";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import { fromOutputs, toFeeds } from "../../src/worker/ort/tensor-bridge.js";
import { elementsOf } from "@framebatch/rows/tensor/half-float.js";

/** One item for each input, and what ONNX Runtime alone answers for it. */
export interface KnownAnswer {
  readonly item: Readonly<Record<string, Tensor>>;
  readonly outputs: Readonly<Record<string, readonly number[]>>;
}

/** Returns a sound of two frequencies. */
function loud(loudness: number, length: number): number[] {
  return Array.from({ length }, (_, index) => loudness * (Math.sin(1 + 1.7 * index) + Math.sin(0.2 * index)));
}

/**
 * Runs one item of each loudness on ONNX Runtime itself, one item a run. Inputs of whole numbers get numbers below 8.
 */
export async function answersOf(bytes: Uint8Array, loudnesses: readonly number[]): Promise<KnownAnswer[]> {
  const session = await ort.InferenceSession.create(bytes);
  const answers: KnownAnswer[] = [];
  for (const loudness of loudnesses) {
    const item = Object.fromEntries(
      session.inputMetadata.map((input): [string, Tensor] => {
        if (!input.isTensor) throw new Error("expected a tensor");
        return [input.name, tensorOf(input.type, input.shape.slice(1).map(Number), loudness)];
      }),
    );
    const feeds = Object.entries(item).map(
      ([name, tensor]) => [name, { ...tensor, dims: [1, ...tensor.dims] }] as const,
    );
    const outputs = fromOutputs(await session.run(toFeeds(ort, Object.fromEntries(feeds))));
    answers.push({ item, outputs: numbersOf(outputs) });
  }
  await session.release();
  return answers;
}

/** Returns the elements of all outputs as numbers. */
export function numbersOf(outputs: Readonly<Record<string, Tensor>>): Record<string, readonly number[]> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, tensor]) => [name, Array.from<unknown>(elementsOf(tensor)).map(Number)]),
  );
}

function tensorOf(given: string, dims: readonly number[], loudness: number): Tensor {
  const type = given === "int64" || given === "float16" ? given : "float32";
  const numbers = loud(
    type === "float16" ? Math.min(loudness, 100) : loudness,
    dims.reduce((all, size) => all * size, 1),
  );
  const element = elementOf(type);
  const data = element.create(numbers.length);
  const target = writable(data);
  for (const [index, number] of numbers.entries()) {
    target[index] = element.parse(type === "int64" ? Math.min(7, Math.floor(Math.abs(number) * 3)) : number);
  }
  return { type, dims, data };
}
