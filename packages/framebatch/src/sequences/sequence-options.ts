import type { Item, Outputs, TensorLike, Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { Disposing } from "@framebatch/host/disposing.js";
import type { PredictOptions } from "@framebatch/batcher/options/options.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import {
  check,
  checkNames,
  integerFrom,
  isAmountAboveZero,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import { checkPredictOptions } from "@framebatch/batcher/options/predict-options.js";

/** The state of a sequence: a tensor for each input that holds state, without the batch axis. */
export type SequenceState = Readonly<Record<string, Tensor>>;

/** Options of `model.sequence`. */
export interface SequenceOptions {
  /**
   * The state before the first step and after each `reset`: a tensor for each input that holds state, without the batch
   * axis, as `snapshot` returns it. Copied at the call. An input that is left out starts from zeros.
   * @default {}
   * @example const mic = vad.sequence({ initial: await other.snapshot() });
   */
  readonly initial?: Readonly<Record<string, TensorLike>>;
  /**
   * Time without a step after which the state goes back to the initial one and the worker frees it, in milliseconds,
   * above 0. The sequence stays in use; `steps` is then 0.
   * @default none: the state lasts until the sequence is disposed of
   * @example const mic = vad.sequence({ idleMs: 30_000 });
   */
  readonly idleMs?: number;
  /**
   * What happens when steps come faster than they run:
   * - `"wait"`: they wait for as long as they need. One that finds `maxQueueSize` others waiting rejects with
   *   `OVERLOADED`.
   * - `"drop-oldest"`, for live input: a step that has waited for more than `maxWaitMs` while a newer one waits rejects
   *   with `OVERLOADED`, and so does the oldest of more than `maxQueueSize`. The state goes on from the step before to
   *   the step after it.
   * @default "wait"
   * @example const mic = vad.sequence({ overflow: "drop-oldest" });
   */
  readonly overflow?: "wait" | "drop-oldest";
  /**
   * Maximum number of steps of this sequence that wait for the one before: an integer from 1.
   * @default 1024
   * @example const mic = vad.sequence({ overflow: "drop-oldest", maxQueueSize: 2 });
   */
  readonly maxQueueSize?: number;
  /**
   * With `overflow: "drop-oldest"`, the longest wait of a step for its turn, in milliseconds, above 0: how far live
   * input may fall behind. The time is counted from the call, so that a page that was blocked for longer loses nothing
   * that it asks for afterwards if the model is fast enough.
   * @default 2000
   * @example const mic = vad.sequence({ overflow: "drop-oldest", maxWaitMs: 300 });
   */
  readonly maxWaitMs?: number;
  /**
   * After how many steps the state is copied to the page, so that it survives the worker: an integer from 1. The page
   * keeps the items of the steps since, and runs them again in a new worker.
   * @default 16; for a state of more than 64 KiB as many that a step copies 4 KiB on average, at most 64
   * @example const captions = model.sequence({ snapshotEvery: 16 });
   */
  readonly snapshotEvery?: number;
}

/**
 * How one step of a sequence is treated: as one prediction. A step has no `key`, because no step may replace another.
 */
export type SequencePredictOptions = Omit<PredictOptions, "key">;

/**
 * A stream through a model with states. Its steps run in the order of the calls, each on the state that the one before
 * has left. They share batches with the steps of other sequences and with other requests. A step that fails, is aborted
 * or is dropped leaves the state as it was. The state survives a lost worker.
 * @example
 * ```ts
 * await using mic = vad.sequence();
 * for await (const { output } of mic.predictStream(source)) show(output);
 * ```
 */
export interface Sequence<Input = Item, Output = Outputs> extends Disposing {
  /**
   * Runs one step. The item is copied before the call returns.
   * @throws as `predict` of a model; OVERLOADED also for a step that `overflow` rejects or drops; SEQUENCE_LOST when
   * the state could not be restored after its worker was lost; DISPOSED after `dispose`.
   * @example const { output } = await mic.predict({ input: frame }, { signal });
   */
  predict(item: Input, options?: SequencePredictOptions): Promise<Output>;
  /**
   * Runs the items of a source as steps and yields their outputs in order. It pulls an item only when the one before
   * last has its outputs. The error of a step ends the stream at its turn.
   * @throws as `predict`.
   * @example for await (const { output } of mic.predictStream(source)) show(output);
   */
  predictStream(
    source: Iterable<Input> | AsyncIterable<Input>,
    options?: SequencePredictOptions,
  ): AsyncGenerator<Output, void, undefined>;
  /**
   * Number of steps since the initial state: 0 at first, after `reset`, and after `idleMs` without a step.
   * @example if (mic.steps === 0) console.log("a new line");
   */
  readonly steps: number;
  /** Puts the state back to the initial one for the steps that are called later. Ends `SEQUENCE_LOST`. */
  reset(): void;
  /**
   * Returns a copy of the state after all steps that were called before. If the page does not have it, the worker runs
   * the last step once more, on the state before it, to return it.
   * @throws as `predict`.
   * @example const state = await mic.snapshot();
   */
  snapshot(): Promise<SequenceState>;
  /**
   * Ends the sequence and frees its state. Open and later steps reject with `DISPOSED`. Safe to call more than once.
   */
  dispose(): Promise<void>;
}

const CHECKS: Readonly<Record<keyof SequenceOptions, OptionCheck>> = {
  initial: check(
    (value) => isOptionsObject(value) && !ArrayBuffer.isView(value),
    "an object of tensors by input name",
    'write { "state": numbers }, or await snapshot()',
  ),
  idleMs: check(isAmountAboveZero, "a number of milliseconds above 0", "leave it out for no limit"),
  overflow: check(
    (value) => value === "wait" || value === "drop-oldest",
    '"wait" or "drop-oldest"',
    'leave it out for "wait"',
  ),
  maxQueueSize: integerFrom(1, 10_000_000, "leave it out for 1024"),
  maxWaitMs: check(isAmountAboveZero, "a number of milliseconds above 0", "leave it out for 2000"),
  snapshotEvery: integerFrom(1, 1_000_000, "leave it out for the default"),
};

/** Checks the options of a sequence. @throws INVALID_OPTION when a name or a value is not allowed */
export function checkSequenceOptions(options: SequenceOptions): void {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, Object.keys(CHECKS));
  for (const [name, checkOption] of Object.entries(CHECKS)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined) checkOption(value, name);
  }
  const { overflow, maxWaitMs } = options;
  if (maxWaitMs === undefined || overflow === "drop-oldest") return;
  const fix = 'write overflow: "drop-oldest", or timeoutMs of each step';
  throw optionError("maxWaitMs", 'no value without overflow: "drop-oldest"', maxWaitMs, fix);
}

/** Checks the options of a step. @throws INVALID_OPTION as for other requests, and for a `key` */
export function checkStepOptions(options: SequencePredictOptions): void {
  checkPredictOptions(options);
  const key: unknown = Reflect.get(options, "key");
  if (key === undefined) return;
  throw optionError(
    "key",
    "no key, because each step of a sequence counts",
    key,
    "leave it out, or ask the model itself",
  );
}
