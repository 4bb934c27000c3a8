import type { ExecutionProvider } from "./providers.js";

/** The outcome of the comparison of the answers of a provider with those of WASM. */
export interface ProviderCheck {
  /** The provider that was compared, or the one that the model runs on. */
  readonly provider: ExecutionProvider;
  /**
   * - `passed`: the answers to the items that were compared agree.
   * - `failed`: an answer differs beyond tolerance. The model has left the provider if it has another one.
   * - `inconclusive`: not known yet: the comparison follows the first requests, while nothing else runs.
   * - `skipped`: not compared: the comparison is turned off, or cannot be made.
   */
  readonly outcome: "passed" | "failed" | "inconclusive" | "skipped";
  /** What was compared, or why nothing was; a text for people. */
  readonly reason: string;
  /** The sizes of the items that were compared: the dims of the inputs in the order of the model, without the batch axis. */
  readonly comparedSizes: readonly (readonly number[])[];
  /** Whether the outcome comes from an earlier session of the same model, adapter, browser and runtime. */
  readonly fromCache: boolean;
}
