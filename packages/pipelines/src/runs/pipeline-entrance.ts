import type { Cancel } from "@framebatch/host/clock.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { RequestOptions, Sink, Ticket } from "@framebatch/batcher/queue/request.js";
import type { StreamTarget } from "@framebatch/batcher/calls/stream-requests.js";
import { createHold, type Hold } from "./path.js";
import { PipelineStream } from "./pipeline-stream.js";
import type { PipelineRuns } from "./pipeline-runs.js";

/** What one stream submits its items to. */
export interface StreamEntrance<In, Out> {
  enqueue(item: In, sink: Sink<Out>, options?: RequestOptions): Ticket;
  /** Does nothing: a function gets the caller's item itself. */
  take(item: In): void;
  /** Does nothing: an item that is not enqueued remains the caller's. */
  discard(item: In): void;
  /** Called when the stream has ended. */
  ended(): void;
  readonly streamRoom: EntranceRoom;
  readonly disposedWith: FramebatchError | null;
}

/** Whether an item of one stream may enter, and how many the stream may pull. */
type EntranceRoom = StreamTarget<unknown, unknown>["streamRoom"];

/**
 * Where the items of streams enter a pipeline. At most one item of each stream is at the entrance, until the first stage
 * has taken it or, if it is split first, all of its parts. Streams do not wait for each other there: a split may hang.
 */
export class PipelineEntrance<In, Out> {
  readonly #runs: PipelineRuns<In, Out>;
  readonly #listeners = new Set<() => void>();

  constructor(runs: PipelineRuns<In, Out>) {
    this.#runs = runs;
  }

  /** Returns the entrance of one stream, whose items keep their order. */
  ofStream(): StreamEntrance<In, Out> {
    const stream = new PipelineStream(true);
    const [runs, room] = [this.#runs, new StreamDoor(this)];
    return {
      enqueue: (item, sink, options) => runs.enqueue(item, sink, { ...options, stream }, room.enter()),
      take: () => undefined,
      discard: () => undefined,
      ended: () => stream.end(),
      streamRoom: room,
      get disposedWith() {
        return runs.disposedWith;
      },
    };
  }

  /**
   * Maximum number of items of a stream that are pulled and not yet yielded: as many as the stages together have slots,
   * so that each can be full while one item is late.
   */
  get targetRequests(): number {
    return this.#runs.steps.reduce((sum, { maxParts }) => sum + maxParts, 1);
  }

  /** Calls `callback` whenever an item of any stream may enter, and when the pipeline is disposed, until cancelled. */
  onChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  changed(): void {
    for (const callback of this.#listeners) callback();
  }
}

type Entrance = Pick<PipelineEntrance<unknown, unknown>, "targetRequests" | "onChange" | "changed">;

/** The place of one stream at the entrance. */
class StreamDoor implements EntranceRoom {
  readonly #entrance: Entrance;
  #isTaken = false;

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  /** Returns whether an item may enter now: none is at the entrance. */
  isFor(): boolean {
    return !this.#isTaken;
  }

  get targetRequests(): number {
    return this.#entrance.targetRequests;
  }

  onChange(callback: () => void): Cancel {
    return this.#entrance.onChange(callback);
  }

  /** Lets an item enter. Returns what it occupies until it has left the entrance. */
  enter(): Hold {
    this.#isTaken = true;
    return createHold(() => {
      this.#isTaken = false;
      this.#entrance.changed();
    });
  }
}
