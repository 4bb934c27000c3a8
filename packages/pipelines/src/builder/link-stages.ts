import type { PartOptions, Stage, StageSink } from "../runs/stage.js";
import type { Ticket } from "@framebatch/batcher/queue/request.js";
import { isTensorLoss } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { LinkedAnswer, LinkedModel } from "./links.js";
import { type Ask, LinkCall } from "./link-call.js";
import { itemFrom, type Links } from "./link-item.js";
import { type Again, LinkedOutputs } from "./linked-outputs.js";

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
      new LinkedOutputs(tensors, repeatOf(model, copy) ?? (again && through(model, links, again))),
  );
}

function repeatOf(model: LinkedModel, copy: LinkedAnswer["copy"]): Again | null {
  return copy === null ? null : (sink, options) => model.repeat(copy, sink, options);
}

/** Repeats the stage before, too. */
function through(model: LinkedModel, links: Links, before: Again): Again {
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
