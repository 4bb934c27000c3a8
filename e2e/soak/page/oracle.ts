import type { ExecutionProvider, Outputs } from "framebatch";
import { rowFrom, type RightAnswers, type RightAnswersRequest } from "./right-answers-protocol.js";
import { ITEM_MAKERS, type SoakModelName } from "./soak-items.js";
import type { ExactItem } from "../../fixtures/items.js";

/** Distinct inputs, and the bits of ONNX Runtime's answer to each, called directly with one input at a time. */
export class Oracle {
  readonly items: readonly ExactItem[];
  readonly #answers: readonly (readonly Float32Array[])[];

  private constructor(items: readonly ExactItem[], answers: readonly (readonly Float32Array[])[]) {
    this.items = items;
    this.#answers = answers;
  }

  /**
   * Computes the answers of each provider separately, because their bits differ. An answer may come from any of them.
   */
  static async of(
    model: SoakModelName,
    url: string,
    providers: readonly ExecutionProvider[],
    count: number,
  ): Promise<Oracle> {
    const items = Array.from({ length: count }, (_, index) => ITEM_MAKERS[model](index));
    const answers: RightAnswers[] = [];
    for (const provider of providers) answers.push(await rightAnswers({ model, url, provider, count }));
    return new Oracle(items, answers);
  }

  /** Returns true if the outputs are bit-identical to a single run with that input, and own their memory. */
  isRight(index: number, outputs: Outputs): boolean {
    const row = rowFrom(outputs);
    if (row === null || row.byteLength !== row.buffer.byteLength) return false;
    return this.#answers.some((rows) => isSame(row, rows[index]));
  }
}

/**
 * Runs ONNX Runtime in a worker and terminates it, so that the page holds no second ONNX Runtime in tests for leaks.
 */
async function rightAnswers(request: RightAnswersRequest): Promise<RightAnswers> {
  const worker = new Worker(new URL("./right-answers-worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<RightAnswers>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<RightAnswers | string>) =>
        typeof data === "string" ? reject(new Error(data)) : resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage({ ...request, url: new URL(request.url, location.href).href });
    });
  } finally {
    worker.terminate();
  }
}

function isSame(row: Float32Array, expected: Float32Array | undefined): boolean {
  if (expected?.length !== row.length) return false;
  for (let index = 0; index < row.length; index += 1) {
    if (!Object.is(row[index], expected[index])) return false;
  }
  return true;
}
