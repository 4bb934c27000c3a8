import type { AbsentTensor } from "@framebatch/rows/collate/absent-tensor.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { RequestOptions, Sink, Ticket } from "@framebatch/batcher/queue/request.js";
import type { Outputs, Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";

/** Names what a model of a group offers to pipelines. Not a word: no caller uses it. */
export const LINKS = Symbol("links");

/** A tensor that stays in a worker, as its owner has it. */
export interface HeldTensor extends AbsentTensor {
  /** Lets it go. Requests that read it hold it until they have settled. */
  release(): void;
}

/** The outputs of one item. The receiver owns them. */
export interface LinkedAnswer {
  /** A tensor that stays in the worker, or one that has come to the page after all. */
  readonly tensors: Readonly<Record<string, HeldTensor | Tensor>>;
  /** A copy of the item, to ask again; `null` if it held tensors of a worker itself, or none is kept now. */
  readonly copy: PreparedItem | null;
}

/** A model of a group, as links of pipelines use it. Every method may throw as `predict` rejects. */
export interface LinkedModel {
  /** The group of the model: models of one group share tensors. */
  readonly group: object;
  readonly signature: { readonly inputs: readonly TensorInfo[]; readonly outputs: readonly TensorInfo[] };
  /** Predicts one item, and leaves outputs in the worker if there is room. The answer has no others. */
  keep(item: unknown, outputs: readonly string[], sink: Sink<LinkedAnswer>, options: RequestOptions): Ticket;
  /** Predicts one item, which may hold tensors of the worker. */
  read(item: unknown, sink: Sink<Outputs>, options: RequestOptions): Ticket;
  /** Predicts the copy of an item again. */
  repeat(copy: PreparedItem, sink: Sink<Outputs>, options: RequestOptions): Ticket;
}
