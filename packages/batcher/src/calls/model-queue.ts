import type { FramebatchError } from "../errors/errors.js";
import type { RequestOptions, Sink } from "../queue/request.js";
import type { StreamTarget } from "./stream-requests.js";

/** What a model submits its requests to: a `Batcher`, or a router in front of several. */
export interface ModelQueue<Item, Result> extends StreamTarget<Item, Result> {
  /** Rejects a request that `enqueue` is certain to reject, before its item is copied. Returns true if rejected. */
  rejectIfFull(sink: Sink<Result>, options?: RequestOptions): boolean;
  flush(): void;
  resetStats(): void;
  /** Rejects every open request, and every later one, with `error`. */
  dispose(error: FramebatchError): void;
}
