import type { Priority } from "./priority.js";
import type { Ticket } from "./request.js";

/**
 * The ticket of a request from before its `enqueue`. Code of the caller may run inside that call, and end or change the
 * request: this reaches the request as soon as the call has returned its ticket.
 */
export class LateTicket implements Ticket {
  #ticket: Ticket | null = null;
  #cancelledWith: { readonly reason: unknown } | null = null;
  #priority: Priority | null = null;

  /** Receives the ticket that `enqueue` has returned. */
  enqueued(ticket: Ticket): void {
    this.#ticket = ticket;
    if (this.#cancelledWith !== null) ticket.cancel(this.#cancelledWith.reason);
    else if (this.#priority !== null) ticket.setPriority(this.#priority);
  }

  cancel(reason: unknown): void {
    if (this.#ticket === null) this.#cancelledWith ??= { reason };
    else this.#ticket.cancel(reason);
  }

  setPriority(priority: Priority): void {
    if (this.#ticket === null) this.#priority = priority;
    else this.#ticket.setPriority(priority);
  }
}
