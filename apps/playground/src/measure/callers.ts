import type { GeneratedText, GenerateOptions, Item, Outputs } from "framebatch";
import type { Load } from "./load.js";

/** One of the callers of a load. */
export interface Caller {
  predict(item: Item, options: { readonly signal: AbortSignal }): Promise<Outputs>;
}

/** What callers without a state need of a model. */
export interface StatelessModel extends Caller {
  /** Only models that generate texts have it. */
  generate?(prompt: Item, options: GenerateOptions): GeneratedText;
}

/** What callers need of a model. */
export interface CalledModel extends StatelessModel {
  sequence(): Caller & { dispose(): Promise<void> };
}

/**
 * Opens the callers of a load, which all call the model itself, or each a sequence of its own.
 * `close` ends the sequences.
 */
export function openCallers(
  model: CalledModel,
  { callers, hasSequences = false, texts }: Load,
): { readonly callers: readonly Caller[]; readonly close: () => void } {
  if (!hasSequences) {
    const caller = callerOf(model, { texts });
    return { callers: Array.from({ length: callers }, () => caller), close: () => {} };
  }
  const sequences = Array.from({ length: callers }, () => model.sequence());
  return { callers: sequences, close: () => sequences.forEach((sequence) => void sequence.dispose()) };
}

/** Returns a caller without a state, which predicts, or generates texts. */
export function callerOf(model: StatelessModel, { texts }: Pick<Load, "texts">): Caller {
  if (texts === undefined) return model;
  return {
    async predict(prompt, { signal }) {
      if (model.generate === undefined) throw new TypeError("The model generates no texts.");
      const { tokens } = await model.generate(prompt, { ...texts, signal }).result;
      return { tokens: { type: "int32", dims: [tokens.length], data: Int32Array.from(tokens) } };
    },
  };
}
