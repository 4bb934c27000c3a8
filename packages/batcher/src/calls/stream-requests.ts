import { LateTicket, OpenSet, type RequestOptions, type Sink } from "../queue/request.js";
import type { StreamRoom } from "../batcher/admission.js";
import { enqueueAbortable, type Enqueuer } from "./abortable.js";
import { copyOptions } from "../options/copy-options.js";
import type { ModelPredictOptions } from "../options/options.js";
import { checkListOptions, type OptionsCheck } from "../options/predict-options.js";
import type { FramebatchError } from "../errors/errors.js";
import type { StreamPort } from "./predict-stream.js";

/** What a model submits its requests to: a `Batcher`, or a router in front of several. */
export interface ModelQueue<Item, Result> extends StreamTarget<Item, Result> {
  /** Rejects a request that `enqueue` is certain to reject, before its item is copied. Returns true if rejected. */
  rejectIfFull(sink: Sink<Result>, options?: RequestOptions): boolean;
  flush(): void;
  resetStats(): void;
  /** Rejects every open request, and every later one, with `error`. */
  dispose(error: FramebatchError): void;
}

/** What a stream submits its requests to, such as a `Batcher`. */
export interface StreamTarget<Item, Result> extends Enqueuer<Item, Result> {
  /** Takes over an item that may have to wait for room before it is enqueued. @throws when it cannot be taken over */
  take(item: Item): void;
  /** Called when the stream has ended. */
  ended?(): void;
  /** The error that rejects every request after a dispose; `null` before. */
  readonly disposedWith: Error | null;
  readonly streamRoom: Pick<StreamRoom<Item>, "isFor" | "onChange" | "targetRequests">;
}

type StreamOptions = Omit<ModelPredictOptions, "key">;

/** Settings that all requests of one stream share. */
export interface StreamSettings<Source, Item> {
  /** Turns a source into the item to queue. */
  readonly admit: (source: Source, options: StreamOptions) => Item;
  readonly options: StreamOptions;
  readonly checkOptions: OptionsCheck;
}

/**
 * The requests of one stream. When the batcher has no room, the stream waits instead of rejecting: the last pulled item
 * waits for room, and the stream pulls no further item until then.
 */
export class StreamRequests<Source, Item, Result> implements StreamPort<Source, Result> {
  readonly #target: StreamTarget<Item, Result>;
  readonly #settings: StreamSettings<Source, Item>;
  readonly #open = new OpenSet<StreamSlot<Result>>();
  #isAtDoor = false;
  /** Why the stream was closed; `null` while it is open. */
  #closedWith: DOMException | null = null;
  #tellStream: () => void = () => undefined;
  #tellDoor: () => void = () => undefined;
  #ignoreRoom: () => void = () => undefined;

  constructor(target: StreamTarget<Item, Result>, settings: StreamSettings<Source, Item>) {
    this.#target = target;
    // A stream reads them for each item, and the caller may change them meanwhile.
    this.#settings = { ...settings, options: copyOptions(settings.options) };
  }

  open(onChange: () => void): void {
    const { options, checkOptions } = this.#settings;
    checkListOptions(options, checkOptions);
    if (this.stopped !== null) throw this.stopped.reason;
    this.#tellStream = onChange;
    this.#ignoreRoom = this.#target.streamRoom.onChange(this.#look);
    options.signal?.addEventListener("abort", this.#look);
  }

  get stopped(): { readonly reason: unknown } | null {
    const { signal } = this.#settings.options;
    if (signal?.aborted) return { reason: signal.reason };
    const reason = this.#target.disposedWith;
    return reason === null ? null : { reason };
  }

  wants(pulled: number): boolean {
    // A reader that is busy has not noticed yet.
    if (this.stopped !== null) return false;
    return pulled === 0 || (!this.#isAtDoor && pulled < this.#target.streamRoom.targetRequests);
  }

  async predict(source: Source): Promise<Result> {
    const { admit, options } = this.#settings;
    const item = admit(source, options);
    this.#target.take(item);
    // Nothing may come between the check and the request: another stream could take the place.
    while (!this.#mayAsk(item)) await this.#waitAtDoor();
    this.#leaveDoor();
    if (this.#closedWith === null) return this.#ask(item);
    this.#target.discard(item);
    throw this.#closedWith;
  }

  close(): void {
    const reason = new DOMException("the stream was stopped", "AbortError");
    this.#closedWith = reason;
    this.#ignoreRoom();
    this.#settings.options.signal?.removeEventListener("abort", this.#look);
    for (const slot of this.#open) slot.cancel(reason);
    this.#tellDoor();
    this.#target.ended?.();
  }

  /** Wakes the item that waits for room, and the stream. */
  readonly #look = (): void => {
    this.#tellDoor();
    this.#tellStream();
  };

  /**
   * Returns true if the item waits no longer: there is room, or the stream has stopped or is closed. The request of a
   * stopped stream rejects at once.
   */
  #mayAsk(item: Item): boolean {
    return this.#closedWith !== null || this.stopped !== null || this.#target.streamRoom.isFor(item);
  }

  #waitAtDoor(): Promise<void> {
    this.#isAtDoor = true;
    return new Promise((resolve) => (this.#tellDoor = resolve));
  }

  #leaveDoor(): void {
    if (!this.#isAtDoor) return;
    this.#isAtDoor = false;
    this.#tellStream();
  }

  #ask(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const slot = new StreamSlot(resolve, reject, this.#open);
      this.#open.add(slot);
      slot.enqueued(enqueueAbortable(this.#target, item, slot, this.#settings.options));
    });
  }
}

/** The sink and the ticket of one item of a stream. It removes itself from the open requests when it settles. */
class StreamSlot<Result> extends LateTicket implements Sink<Result> {
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;
  readonly #open: OpenSet<unknown>;

  constructor(resolve: (result: Result) => void, reject: (error: unknown) => void, open: OpenSet<unknown>) {
    super();
    this.#resolve = resolve;
    this.#reject = reject;
    this.#open = open;
  }

  resolve(result: Result): void {
    this.#open.delete(this);
    this.#resolve(result);
  }

  reject(error: unknown): void {
    this.#open.delete(this);
    this.#reject(error);
  }
}
