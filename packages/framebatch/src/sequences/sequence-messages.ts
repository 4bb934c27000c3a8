import type { TensorData } from "@framebatch/rows/tensor/tensor.js";

/** What the page and its worker send to each other for sequences. This module contains no code. */

/** A step of a sequence, as a row of a run. `README.md` says when a state advances. */
export interface SentStep {
  /** Unique among the sequences of a model. */
  readonly sequence: number;
  /** Number of the step in its sequence, from 1. The newest step of a worker may run again, on the state before it. */
  readonly step: number;
  /** The state before the step. @default the worker has it */
  readonly from?: StateData;
  /** Whether the reply returns the state after the step. */
  readonly returns: boolean;
}

/** The state of one sequence. Nothing writes to it. */
export interface StateData {
  /** The elements of each state, in the order of the model. */
  readonly tensors: readonly TensorData[];
  /** What the handlers of the sequence remember. @default what `begin` of the handlers returns */
  readonly memory?: unknown;
}
