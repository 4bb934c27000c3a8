import type { RequestOptions, Ticket } from "../queue/request.js";

/** Receives the one outcome of a part at a stage, never inside the part's own `enqueue`. */
export interface StageSink<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Options of one part. */
export interface PartOptions extends RequestOptions {
  /** Whether the part belongs to a stream, so that a pipeline lets it wait rather than fail. @default false */
  readonly isOfStream?: boolean;
}

/** What works on the parts of a pipeline, one at a time. A `Batcher` has this form, and so has a pipeline. */
export interface Stage<Item, Result> {
  /** Enqueues one part. Once its ticket is cancelled, the pipeline ignores its outcome. */
  enqueue(item: Item, sink: StageSink<Result>, options: PartOptions): Ticket;
}
