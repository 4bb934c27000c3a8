import type { ErrorData } from "@framebatch/batcher/errors/error-data.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";

/** What the page and its worker send to each other for the option `generate`. This module contains no code. */

/** What each input and output of a decoder is for, as the option `generate` tells it. */
export interface DecoderNames {
  readonly caches?: Readonly<Record<string, string>>;
  readonly tokens?: string;
  readonly mask?: string;
  readonly positions?: string;
  readonly logits?: string;
}

/** How the next token is chosen among the scores. */
export interface TokenChoice {
  /** `null`: the token with the highest score. */
  readonly sample: {
    readonly temperature: number;
    /** Number of tokens to choose from; `Infinity` for all. */
    readonly topK: number;
    readonly topP: number;
    readonly seed: number;
  } | null;
  /** 1 for none. */
  readonly repetitionPenalty: number;
}

/** A text, as a worker gets it: once, with all its tokens so far. */
export interface SentText extends TokenChoice {
  /** Unique among the texts of a model. */
  readonly id: number;
  /** The prompt, then the tokens that were chosen before. */
  readonly tokens: readonly number[];
  /** Number of `tokens` that are the prompt. */
  readonly promptLength: number;
  readonly maxNewTokens: number;
  /** A text ends with the first of these tokens, which is its last. */
  readonly stop: readonly number[];
  /** Inputs that are the same in every step, by name, with a batch axis of 1. */
  readonly given: Readonly<Record<string, Tensor>>;
}

/** A run of texts: some steps of each, for as long as `SLICE_MS`. */
export interface TextsRequest {
  /** The texts that have a place, by their ids. The worker drops all others. */
  readonly texts: readonly number[];
  /** Those of them that keep their caches and make no steps: nobody has read their last tokens yet. */
  readonly paused: readonly number[];
  /** Those of them that the worker does not have. */
  readonly joining: readonly SentText[];
  /** Whether others wait for the place of a text that ends: the run then ends with it. */
  readonly isCrowded: boolean;
  /** See `RowsRequest`. @default 0 */
  readonly timeoutMs?: number;
}

/** Why a text has ended. */
export type TextEnd = "stop" | "length";

/** What a run has done for a text. */
export interface TextProgress {
  readonly id: number;
  /** The tokens that were chosen, in order. */
  readonly tokens: readonly number[];
  /** Why the text has ended; `null` if it goes on. */
  readonly end: TextEnd | null;
  /** Why it has failed; `null` if it has not. */
  readonly error: ErrorData | null;
}

/**
 * Which texts share a step, as measured:
 * - `left`, `right`: texts of any length, whose caches are padded on that side
 * - `equal`: texts of the same length
 * - `alone`: none, because answers depend on the other texts of a step
 */
export type Sharing = "left" | "right" | "equal" | "alone";

/** What the texts of a worker have cost so far. */
export interface TextsUse {
  /** `null` before it was measured, which is when there are several texts. */
  readonly sharing: Sharing | null;
  /** Number of steps: runs that chose one token for each of their texts, after the prompts. */
  readonly steps: number;
  /** Number of texts in all steps together. */
  readonly stepped: number;
  /** Time of the runs that took prompts, in milliseconds. */
  readonly prefillMs: number;
  /** Time of the steps, in milliseconds. */
  readonly decodeMs: number;
  /** Size of the caches now, in bytes. */
  readonly cacheBytes: number;
}

/** The reply to a `TextsRequest`. */
export interface TextsAnswer {
  readonly ok: true;
  readonly progress: readonly TextProgress[];
  /** Of this worker since it has started. */
  readonly use: TextsUse;
  readonly inferenceMs: number;
  /** Number of texts. */
  readonly rows: number;
}
