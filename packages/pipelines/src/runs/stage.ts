import type { RequestOptions, Ticket } from "@framebatch/batcher/queue/request.js";
import { PipelineStream } from "./pipeline-stream.js";

/** Receives the one outcome of a part at a stage, never inside the part's own `enqueue`. */
export interface StageSink<Result> {
  /** Called when the stage itself has answered, if more is made of its result. */
  answered?(): void;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Options of one part. */
export interface PartOptions extends RequestOptions {
  /**
   * The stream that the part belongs to, so that a pipeline lets it wait rather than fail, and its items keep their order.
   * Equal for parts whose order counts.
   * @default none
   */
  readonly stream?: PipelineStream;
}

/** Returns the stage for the parts of a split: they do not wait for each other. */
export function forParts<Item, Result>(stage: Stage<Item, Result>): Stage<Item, Result> {
  return {
    ...(stage.letsWait !== undefined && { letsWait: stage.letsWait }),
    enqueue: (item, sink, options) =>
      stage.enqueue(
        item,
        sink,
        options.stream === undefined ? options : { ...options, stream: new PipelineStream(false) },
      ),
  };
}

/** What works on the parts of a pipeline, one at a time. A `Batcher` has this form, and so has a pipeline. */
export interface Stage<Item, Result> {
  /**
   * Whether it lets a part of a stream wait while it has no room for it, as a pipeline does. What it rejects is final: it may
   * have gone through a part of its steps, and to ask again would call these out of turn. @default false
   */
  readonly letsWait?: boolean;
  /** Enqueues one part. Once its ticket is cancelled, the pipeline ignores its outcome. */
  enqueue(item: Item, sink: StageSink<Result>, options: PartOptions): Ticket;
}
