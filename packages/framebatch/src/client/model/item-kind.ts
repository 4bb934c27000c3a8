import type { BatcherConfig } from "@framebatch/batcher/batcher/batcher-config.js";
import type { PrepareBatch } from "../engine/model-engine.js";
import type { Clock } from "@framebatch/host/clock.js";
import type { Sequence, SequenceOptions } from "../../sequences/sequence-options.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { KeepingModel } from "../options/model-group.js";
import type { ModelQueue } from "@framebatch/batcher/calls/stream-requests.js";
import type { WorkerClient } from "../workers/worker-client.js";
import { RowBatches } from "../engine/row-batches.js";
import type { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { SharedResults } from "./shared-results.js";

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

/** The items are the tensors. */
const SAME_VOLUMES: ItemVolumes = { factor: 1, whenKnown: (callback) => callback(1) };

type TensorItems = ItemKind<Item, PreparedItem, Outputs>;

/**
 * Items that are tensors: the page checks and copies them, and hands them to a worker.
 * @param shared for identical items that share a row or a result; `null` if none do
 * @param hasOtherSide whether a server may have to run a row that a worker has failed
 */
export function tensorItems(reader: InputReader, shared: SharedResults | null, hasOtherSide = false): TensorItems {
  // A row that several requests share must not be lost because the first of them has given its item away.
  const batches = new RowBatches(reader, hasOtherSide || shared !== null);
  return {
    ...tensorRows(reader, shared),
    prepare: batches.prepare,
    volumes: SAME_VOLUMES,
    onRetiring: () => undefined,
  };
}

/** What items that are tensors need from the page wherever their batches run. */
export function tensorRows(
  reader: InputReader,
  shared: SharedResults | null,
): Omit<TensorItems, "prepare" | "volumes" | "onRetiring"> {
  return {
    admit: (item, isMoved) => reader.admit(item, isMoved ? moveBuffer : undefined),
    shapeOf: ({ shape }) => shape,
    take: (row) => row.take?.(),
    ...shared,
  };
}

/** Moves the memory of a buffer to a new buffer in constant time, and detaches the old one. */
export function moveBuffer(buffer: ArrayBuffer): ArrayBuffer {
  return structuredClone(buffer, { transfer: [buffer] });
}
