import type { RunAnswer, RunMessage } from "./protocol.js";
import type { ServedApi } from "./transport.js";

/** Sends the reply to a run back the way that the run has come, or as a message. */
export type Answer = (answer: RunAnswer, transfer: Transferable[]) => void;

/** The runs of one page, in the worker. Begins them in the order of their numbers, whichever way each has come. */
export class ReceivedRuns {
  readonly #api: Pick<ServedApi, "run">;
  #begun = 0;
  /** The runs that have come before an earlier one. */
  readonly #early = new Map<number, { readonly message: RunMessage; readonly answer: Answer }>();

  constructor(api: Pick<ServedApi, "run">) {
    this.#api = api;
  }

  received(message: RunMessage, answer: Answer): void {
    // Only those that are early enter the map: a map that all pass through would keep some of them alive.
    if (message.run > this.#begun + 1) return void this.#early.set(message.run, { message, answer });
    void this.#run(message, answer);
    if (this.#early.size === 0) return;
    const next = this.#early.get(this.#begun + 1);
    this.#early.delete(this.#begun + 1);
    if (next !== undefined) this.received(next.message, next.answer);
  }

  async #run({ run, request }: RunMessage, answer: Answer): Promise<void> {
    this.#begun = run;
    const { reply, transfer } = await this.#api.run(request);
    answer({ ran: run, reply }, transfer);
  }
}
