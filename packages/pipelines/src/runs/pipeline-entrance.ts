import type { Cancel } from "@framebatch/host/clock.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { RequestOptions, Sink, Ticket } from "@framebatch/batcher/queue/request.js";
import { createHold } from "./path.js";
import { PipelineStream } from "./pipeline-stream.js";
import type { PipelineRuns } from "./pipeline-runs.js";
import type { PartOptions } from "./stage.js";

/** What one stream submits its items to. */
export interface StreamEntrance<In, Out> {
  enqueue(item: In, sink: Sink<Out>, options?: RequestOptions): Ticket;
  /** Does nothing: a function gets the caller's item itself. */
  take(item: In): void;
  /** Does nothing: an item that is not enqueued remains the caller's. */
  discard(item: In): void;
  /** Called when the stream has ended. */
  ended(): void;
  readonly streamRoom: PipelineEntrance<In, Out>;
  readonly disposedWith: FramebatchError | null;
}

/**
 * Where the items of streams enter a pipeline. At most one item of each stream is at the entrance, until the first stage
 * has taken it or, if it is split first, all of its parts.
 */
export class PipelineEntrance<In, Out> {
  readonly #runs: PipelineRuns<In, Out>;
  readonly #listeners = new Set<() => void>();
  #entering = 0;

  constructor(runs: PipelineRuns<In, Out>) {
    this.#runs = runs;
  }

  /** Returns the entrance of one stream, whose items keep their order. */
  ofStream(): StreamEntrance<In, Out> {
    const stream = new PipelineStream(true);
    const runs = this.#runs;
    return {
      enqueue: (item, sink, options) => this.#enqueue(item, sink, { ...options, stream }),
      take: () => undefined,
      discard: () => undefined,
      ended: () => stream.end(),
      streamRoom: this,
      get disposedWith() {
        return runs.disposedWith;
      },
    };
  }

  /** Returns whether an item may enter now: none is at the entrance. Streams that look at the same time may all enter. */
  isFor(_item: In): boolean {
    return this.#entering === 0;
  }

  /**
   * Maximum number of items of a stream that are pulled and not yet yielded: as many as the stages together have slots,
   * so that each can be full while one item is late.
   */
  get targetRequests(): number {
    return this.#runs.steps.reduce((sum, { maxParts }) => sum + maxParts, 1);
  }

  /** Calls `callback` whenever an item may enter, and when the pipeline is disposed, until cancelled. */
  onChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  changed(): void {
    for (const callback of this.#listeners) callback();
  }

  #enqueue(item: In, sink: Sink<Out>, options: PartOptions): Ticket {
    this.#entering += 1;
    const entrance = createHold(() => {
      this.#entering -= 1;
      this.changed();
    });
    return this.#runs.enqueue(item, sink, options, entrance);
  }
}
