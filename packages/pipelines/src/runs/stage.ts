import { LateTicket, type RequestOptions, type Ticket } from "@framebatch/batcher/queue/request.js";
import { PipelineStream } from "./open-run.js";
import { settleCall } from "@framebatch/batcher/calls/user-call.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";

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
   * The stream that the part belongs to, so that a pipeline lets it wait rather than fail, and its items keep their
   * order. Equal for parts whose order counts.
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
   * Whether it lets a part of a stream wait while it has no room for it, as a pipeline does. What it rejects is final:
   * it may have gone through a part of its steps, and to ask again would call these out of turn. @default false
   */
  readonly letsWait?: boolean;
  /** Enqueues one part. Once its ticket is cancelled, the pipeline ignores its outcome. */
  enqueue(item: Item, sink: StageSink<Result>, options: PartOptions): Ticket;
}

/** What a stage takes of a value, and what it makes of its result and the value. */
export interface StageContext<Value, Item, Result, Next> {
  readonly toItem: (value: Value) => Item;
  readonly toResult: (result: Result, value: Value) => Next | PromiseLike<Next>;
}

/**
 * One part at a stage with context. Makes the item once, also if the stage has no room for it at first. If `toResult`
 * asks another stage, and that has no room, it is called again, and this stage is not: it may have taken the item's
 * memory.
 */
export class PartInContext<Value, Item, Result, Next> implements Stage<Value, Next> {
  readonly #stage: Stage<Item, Result>;
  readonly #context: StageContext<Value, Item, Result, Next>;
  #made: { readonly item: Item } | null = null;
  #answered: { readonly result: Result } | null = null;

  constructor(stage: Stage<Item, Result>, context: StageContext<Value, Item, Result, Next>) {
    this.#stage = stage;
    this.#context = context;
  }

  /**
   * Once the stage has answered, an error is that of `toResult`, which may have asked something that lets nothing wait.
   */
  get letsWait(): boolean {
    return this.#answered === null && this.#stage.letsWait === true;
  }

  /** @throws what `toItem` throws */
  enqueue(value: Value, sink: StageSink<Next>, options: PartOptions): Ticket {
    const ticket = new CancelledTicket();
    const resolve = (result: Result) => {
      this.#answered = { result };
      sink.answered?.();
      if (!ticket.isCancelled) this.#finish(result, value, sink);
    };
    const answered = this.#answered;
    if (answered === null) {
      const answers = { resolve, reject: (error: unknown) => sink.reject(error) };
      ticket.enqueued(this.#stage.enqueue(this.#item(value), answers, options));
    } else afterMicrotask(() => resolve(answered.result));
    return ticket;
  }

  #item(value: Value): Item {
    return (this.#made ??= { item: this.#context.toItem(value) }).item;
  }

  #finish(result: Result, value: Value, sink: StageSink<Next>): void {
    settleCall(
      () => this.#context.toResult(result, value),
      (next) => sink.resolve(next),
      (error) => sink.reject(error),
    );
  }
}

/** Remembers that it was cancelled: a result that comes afterwards is no longer the caller's business. */
class CancelledTicket extends LateTicket {
  isCancelled = false;

  override cancel(reason: unknown): void {
    this.isCancelled = true;
    super.cancel(reason);
  }
}
