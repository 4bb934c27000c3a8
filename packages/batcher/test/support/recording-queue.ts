import type { Enqueuer } from "../../src/calls/abortable.js";
import type { RequestOptions, Sink, Ticket } from "../../src/queue/request.js";

/** One request as it reached the queue. */
export interface Recorded<Item, Result> {
  readonly item: Item;
  readonly sink: Sink<Result>;
  readonly options: RequestOptions | undefined;
  readonly log: string[];
}

/** A queue that runs nothing. The test settles the recorded `requests`. */
export class RecordingQueue<Item, Result> implements Enqueuer<Item, Result> {
  readonly requests: Recorded<Item, Result>[] = [];

  enqueue(item: Item, sink: Sink<Result>, options?: RequestOptions): Ticket {
    const log: string[] = [];
    this.requests.push({ item, sink, options, log });
    return {
      cancel: (reason) => {
        log.push("cancelled");
        sink.reject(reason);
      },
      setPriority: (priority) => void log.push(priority),
    };
  }

  discard(_item: Item): void {}
}
