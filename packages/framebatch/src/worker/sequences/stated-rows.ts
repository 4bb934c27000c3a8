import type { Tensor, TensorData } from "@framebatch/rows/tensor/tensor.js";
import { NONE_ON_DEVICE, type OutputsOnDevice } from "../kept/device-rows.js";
import type { FeedsReply } from "../session/feeds-reply.js";
import type { StatesBefore, Steps } from "./sequence-states.js";

/** Rows of a model with states, ready to run. */
export interface StatedRows {
  readonly before: StatesBefore;
  readonly steps: Steps | undefined;
  readonly paddedSize: number;
  /**
   * Stacks the inputs.
   * @param ofStates the elements of each state, row by row; none of a state that is stacked already
   * @param isStacked whether an input is stacked already
   */
  readonly stack: (
    ofStates: readonly (readonly TensorData[])[],
    isStacked?: (input: string) => boolean,
  ) => Readonly<Record<string, Tensor>>;
}

/** The reply of a run that has succeeded. */
export type Ran = Extract<FeedsReply, { readonly ok: true }>;

/** What a run of them has left on the GPU. */
export interface LeftOnDevice {
  /** Outputs, none of which is in the reply. */
  readonly onDevice: OutputsOnDevice;
  /** The elements of those rows of them whose steps return the state. */
  readonly read: ReadonlyMap<string, ReadonlyMap<number, TensorData>>;
}

/** How a run of them has ended. */
export interface StatedReply extends LeftOnDevice {
  readonly reply: FeedsReply;
}

export const NOTHING_LEFT: LeftOnDevice = { onDevice: NONE_ON_DEVICE, read: new Map() };
