import type { BatcherConfig } from "@framebatch/batcher/batcher/batcher-config.js";
import type { PrepareBatch } from "../engine/model-engine.js";
import type { Clock } from "@framebatch/host/clock.js";
import type { Sequence, SequenceOptions } from "../../sequences/sequence-options.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { KeepingModel } from "../options/model-group.js";
import type { ModelQueue } from "@framebatch/batcher/calls/stream-requests.js";
import type { WorkerClient } from "../workers/worker-client.js";

/**
 * What a model takes and returns: tensors, or anything that the handlers of its worker understand.
 * - `Input`: an item, as `predict` takes it
 * - `Row`: the item in the queue
 * - `Output`: the result, as `predict` returns it
 */
export interface ItemKind<Input, Row, Output>
  extends
    Required<Pick<BatcherConfig<Row, Output>, "shapeOf">>,
    Pick<BatcherConfig<Row, Output>, "bisect" | "contentKey" | "copyResult" | "onRequest" | "onSettled">,
    Required<Pick<BatcherConfig<Row, Output>, "take">> {
  /**
   * Checks an item and copies it, so that the caller may change it.
   * @param isMoved whether `take` moves what can be moved, instead
   * @throws INVALID_INPUT when the item cannot be used
   */
  readonly admit: (item: Input, isMoved: boolean) => Row;
  readonly prepare: PrepareBatch<Row, Output>;
  readonly volumes: ItemVolumes;
  /** See `SlotListener`. */
  readonly onRetiring: (client: WorkerClient) => void;
  /** Starts a sequence, whose steps go to the queue. Absent if the model has no states. @throws INVALID_OPTION */
  readonly startSequence?: (
    place: {
      readonly queue: ModelQueue<Row, Output>;
      readonly clock: Clock;
      readonly admit: (item: Input, isMoved: boolean) => Row;
    },
    options?: SequenceOptions,
  ) => Sequence<Input, Output>;
  /** Ends all sequences, when the model is disposed of. */
  readonly endSequences?: () => void;
  /**
   * Returns what keeps outputs in the worker. Absent if the model cannot.
   * @param report receives what no request can report
   */
  readonly openKept?: (queue: ModelQueue<Row, Output>, report: (error: FramebatchError) => void) => KeepingModel;
}

/**
 * How the volume of an item in the queue, see `ItemShape`, follows from that of its tensors. The run times of the
 * warm-up and of earlier sessions are for volumes of tensors, those of requests for volumes of items, and a cost model
 * compares volumes of one kind only.
 */
export interface ItemVolumes {
  /** Volume of an item for each unit of the volume of its tensors; `null` if it is not known yet. */
  readonly factor: number | null;
  /** Calls back with the factor as soon as it is known. */
  whenKnown(callback: (factor: number) => void): void;
}

/**
 * Returns the same kind, which calls `onUse` for each item before it takes it over, and for each request: a tensor that
 * stays in the worker, a link and a snapshot are requests without such an item.
 */
export function watched<Input, Row, Output>(
  kind: ItemKind<Input, Row, Output>,
  onUse: (() => void) | undefined,
): ItemKind<Input, Row, Output> {
  if (onUse === undefined) return kind;
  const admit = (item: Input, isMoved: boolean) => {
    onUse();
    return kind.admit(item, isMoved);
  };
  return { ...kind, admit, onRequest: onUse };
}
