import type { PartOptions, Stage, StageSink } from "../runs/stage.js";
import {
  LateTicket,
  type Priority,
  type RequestOptions,
  STAYS,
  type Ticket,
} from "@framebatch/batcher/queue/request.js";
import { isTensorLoss } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { LinkedAnswer, LinkedModel } from "./links.js";
import { itemFrom, type Links } from "./link-item.js";
import type { Path } from "../runs/path.js";

/** A stage whose outputs stay in the worker for the next one. */
export class KeepingStage implements Stage<unknown, LinkedOutputs> {
  readonly #model: LinkedModel;
  readonly #outputs: readonly string[];

  constructor(model: LinkedModel, outputs: readonly string[]) {
    this.#model = model;
    this.#outputs = outputs;
  }

  /** @throws as `predict` of the model rejects */
  enqueue(item: unknown, sink: StageSink<LinkedOutputs>, options: PartOptions): Ticket {
    const call = new LinkCall(sink, options);
    call.ask<LinkedAnswer>(
      (answers, requestOptions) => this.#model.keep(item, this.#outputs, answers, requestOptions),
      ({ tensors, copy }) => call.resolve(new LinkedOutputs(tensors, repeatOf(this.#model, copy))),
    );
    return call;
  }
}

/** A stage that reads the outputs of the one before where they are. If they are lost, that one computes them again. */
class ReadingStage<Answer, Result> implements Stage<LinkedOutputs, Result> {
  readonly #links: Links;
  readonly #ask: (item: object) => Ask<Answer>;
  readonly #resultOf: (answer: Answer, read: LinkedOutputs) => Result;

  constructor(
    links: Links,
    ask: (item: object) => Ask<Answer>,
    resultOf: (answer: Answer, read: LinkedOutputs) => Result,
  ) {
    this.#links = links;
    this.#ask = ask;
    this.#resultOf = resultOf;
  }

  /** @throws as `predict` of the model rejects */
  enqueue(read: LinkedOutputs, sink: StageSink<Result>, options: PartOptions): Ticket {
    const call = new LinkCall(sink, options);
    const answered = (answer: Answer) => {
      const result = this.#resultOf(answer, read);
      read.release();
      call.resolve(result);
    };
    const again = ({ again: repeat }: LinkedOutputs, error: unknown) => {
      if (repeat === null || !isTensorLoss(error)) return sink.reject(error);
      call.askAgain(repeat, (outputs) => call.askAgain(this.#ask(itemFrom(this.#links, outputs)), answered));
    };
    call.ask(this.#ask(itemFrom(this.#links, read.tensors)), answered, (error) => again(read, error));
    return call;
  }
}

/** Returns the last stage of a link. */
export function readingStage(model: LinkedModel, links: Links): Stage<LinkedOutputs, Outputs> {
  return new ReadingStage<Outputs, Outputs>(
    links,
    (item) => (sink, options) => model.read(item, sink, options),
    (outputs) => outputs,
  );
}

/** Returns a stage between two others of a link. */
export function passingStage(
  model: LinkedModel,
  links: Links,
  outputs: readonly string[],
): Stage<LinkedOutputs, LinkedOutputs> {
  return new ReadingStage<LinkedAnswer, LinkedOutputs>(
    links,
    (item) => (sink, options) => model.keep(item, outputs, sink, options),
    ({ tensors, copy }, { again }) =>
      new LinkedOutputs(tensors, repeatOf(model, copy) ?? (again && repeatThrough(model, links, again))),
  );
}

function repeatOf(model: LinkedModel, copy: LinkedAnswer["copy"]): Again | null {
  return copy === null ? null : (sink, options) => model.repeat(copy, sink, options);
}

/** Returns what computes the outputs again when the inputs are lost too: it repeats the stage before, then this one. */
function repeatThrough(model: LinkedModel, links: Links, before: Again): Again {
  return (sink, options) => {
    const call = new LinkCall<Outputs>(sink, options);
    call.ask(before, (outputs) =>
      call.askAgain<Outputs>(
        (answers, requestOptions) => model.read(itemFrom(links, outputs), answers, requestOptions),
        (answer) => call.resolve(answer),
      ),
    );
    return call;
  };
}

/** Computes the outputs again, all of which then come to the page. */
type Again = (sink: StageSink<Outputs>, options: RequestOptions) => Ticket;

/**
 * The outputs of a stage that the next one reads where they are. They belong to the run of their pipeline, which
 * releases them if it ends first.
 */
export class LinkedOutputs implements Ticket {
  readonly tensors: LinkedAnswer["tensors"];
  /** `null` if nothing can be lost. */
  readonly again: Again | null;
  #onRelease: () => void = () => undefined;
  #isReleased = false;

  constructor(tensors: LinkedAnswer["tensors"], again: Again | null) {
    this.tensors = tensors;
    this.again = again;
  }

  /** Sets what is called when the outputs are released. */
  whenReleased(onRelease: () => void): void {
    this.#onRelease = onRelease;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    for (const tensor of Object.values(this.tensors)) if ("release" in tensor) tensor.release();
    this.#onRelease();
  }

  cancel(): void {
    this.release();
  }

  setPriority(): void {}
}

/** The path on which a run takes linked outputs over. */
export const ownedByRun: Path<LinkedOutputs, LinkedOutputs> = (outputs, hold, run, next) => {
  run.add(outputs);
  outputs.whenReleased(() => run.delete(outputs));
  next(outputs, hold);
};

/** Asks a model. @throws as its `predict` rejects */
type Ask<Result> = (sink: StageSink<Result>, options: RequestOptions) => Ticket;

/** One part at a stage of a link: one request after the other. What comes after it was cancelled is released. */
class LinkCall<Result> implements Ticket {
  readonly #sink: StageSink<Result>;
  #options: RequestOptions;
  #ticket: Ticket = new LateTicket();
  #result: Result | null = null;
  #cancelled: { readonly reason: unknown } | null = null;

  constructor(sink: StageSink<Result>, { stream, ...options }: PartOptions) {
    this.#sink = sink;
    this.#options = { ...options, ...(stream !== undefined && { [STAYS]: true }) };
  }

  /** Makes a request. @param onRejected called unless the part was cancelled; default: the part fails */
  ask<Answer>(
    ask: Ask<Answer>,
    onAnswer: (answer: Answer) => void,
    onRejected: (error: unknown) => void = (error) => this.#sink.reject(error),
  ): void {
    const ticket = new LateTicket();
    this.#ticket = ticket;
    const reject = (error: unknown) => {
      if (this.#cancelled === null) onRejected(error);
    };
    ticket.enqueued(ask({ resolve: onAnswer, reject }, this.#options));
  }

  /** Makes a further request. The run itself ends at the timeout. */
  askAgain<Answer>(ask: Ask<Answer>, onAnswer: (answer: Answer) => void): void {
    const { timeoutMs: _, ...options } = this.#options;
    this.#options = options;
    if (this.#cancelled !== null) return;
    try {
      this.ask(ask, onAnswer);
    } catch (error) {
      this.#sink.reject(error);
    }
  }

  resolve(result: Result): void {
    this.#result = result;
    if (this.#cancelled === null) this.#sink.resolve(result);
    else release(result);
  }

  /** Cancels the part. Also called after its result, which is then lost on its way to the next stage. */
  cancel(reason: unknown): void {
    this.#cancelled = { reason };
    this.#ticket.cancel(reason);
    release(this.#result);
  }

  setPriority(priority: Priority): void {
    this.#options = { ...this.#options, priority };
    this.#ticket.setPriority(priority);
  }
}

function release(result: unknown): void {
  if (result instanceof LinkedOutputs) result.release();
}
