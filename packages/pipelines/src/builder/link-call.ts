import type { PartOptions, StageSink } from "../runs/stage.js";
import type { Priority } from "@framebatch/batcher/queue/priority.js";
import { LateTicket } from "@framebatch/batcher/queue/late-ticket.js";
import { type RequestOptions, STAYS, type Ticket } from "@framebatch/batcher/queue/request.js";
import { LinkedOutputs } from "./linked-outputs.js";

/** Asks a model. @throws as its `predict` rejects */
export type Ask<Result> = (sink: StageSink<Result>, options: RequestOptions) => Ticket;

/** One part at a stage of a link: one request after the other. What comes after it was cancelled is released. */
export class LinkCall<Result> implements Ticket {
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

  /** Also after its result, which has then got lost on its way to the next stage. */
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
