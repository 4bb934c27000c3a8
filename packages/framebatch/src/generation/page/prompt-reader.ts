import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { dimsFor } from "@framebatch/rows/collate/input-plan.js";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { Tensor, TensorLike } from "@framebatch/rows/tensor/tensor.js";
import type { Decoder } from "../decoder.js";

/** What a text gives in every step, checked and copied. */
export interface ReadGiven {
  /** With a batch axis of 1. */
  readonly tensors: Readonly<Record<string, Tensor>>;
  /**
   * The largest of its dynamic sizes, which is the number of positions of caches that do not grow; 0 if it has none.
   */
  readonly length: number;
}

const NOTHING_GIVEN: ReadGiven = { tensors: {}, length: 0 };

/** What `generate` takes. */
export type PromptInputs = Readonly<Record<string, TensorLike>> | TensorLike;

/** Reads the prompts of callers, so that a text cannot harm the others of its steps. */
export class PromptReader {
  readonly #decoder: Pick<Decoder, "tokens" | "logits" | "given">;
  readonly #reader: InputReader;
  readonly #givenReader: InputReader;

  constructor(decoder: Pick<Decoder, "tokens" | "logits" | "given">) {
    this.#decoder = decoder;
    const [tokens, given] = [[decoder.tokens], decoder.given].map((inputs) => {
      const signature = { inputs, outputs: [], fixedBatch: null };
      return InputReader.for(signature, planPadding(signature));
    });
    this.#reader = tokens!;
    this.#givenReader = given!;
  }

  /** Returns the tokens of a prompt. @throws INVALID_INPUT when the model does not take it */
  read(inputs: PromptInputs): readonly number[] {
    const [data] = this.#reader.admit(inputs).data;
    const tokens = Array.from(data ?? [], Number);
    this.#check(tokens);
    return tokens;
  }

  /** @throws INVALID_INPUT when the model does not take it */
  readGiven(given: object): ReadGiven {
    const { plans } = this.#givenReader;
    if (plans.length === 0 && Object.keys(given).length === 0) return NOTHING_GIVEN;
    const { data, sizes } = this.#givenReader.admit(given);
    let length = 0;
    const tensors = this.#decoder.given.map(({ name, type, batchAxis }, index) => {
      const plan = plans[index]!;
      const own = dimsFor(plan, sizes);
      length = Math.max(length, ...own.filter((_, axis) => plan.dims[axis] === null));
      const dims = batchAxis === null ? own : own.toSpliced(batchAxis, 0, 1);
      // The reader places small arrays in one buffer, and a message would carry all of it.
      return [name, { type, dims, data: data[index]!.slice() }] as const;
    });
    return { tensors: Object.fromEntries(tensors), length };
  }

  #check(tokens: readonly number[]): void {
    const { tokens: input, logits } = this.#decoder;
    const size = logits.dims.at(-1) ?? Infinity;
    const wrong = tokens.find((token) => token < 0 || token >= size);
    if (tokens.length > 0 && wrong === undefined) return;
    const got = wrong === undefined ? "none" : `token ${wrong}`;
    const expected = `at least one token, from 0 to ${size === Infinity ? "the last of the vocabulary" : size - 1}`;
    throw new FramebatchError(
      "INVALID_INPUT",
      `input "${input.name}": expected ${expected}, got ${got}; use the tokenizer of this model`,
      { details: { input: input.name } },
    );
  }
}
