import type { Item, Outputs } from "framebatch";
import type { Load } from "./load.js";

/** One of the callers of a load. */
export interface Caller {
  predict(item: Item, options: { readonly signal: AbortSignal }): Promise<Outputs>;
}

/** What callers need of a model. */
export interface CalledModel extends Caller {
  sequence(): Caller & { dispose(): Promise<void> };
}

/**
 * Opens the callers of a load, which all call the model itself, or each a sequence of its own.
 * `close` ends the sequences.
 */
export function openCallers(
  model: CalledModel,
  { callers, hasSequences = false }: Load,
): { readonly callers: readonly Caller[]; readonly close: () => void } {
  if (!hasSequences) return { callers: Array.from({ length: callers }, () => model), close: () => {} };
  const sequences = Array.from({ length: callers }, () => model.sequence());
  return { callers: sequences, close: () => sequences.forEach((sequence) => void sequence.dispose()) };
}
