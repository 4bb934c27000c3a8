import { OpenSet } from "@framebatch/batcher/queue/open-set.js";
import type { RunAnswer, RunMessage, RunReply, RunRequest } from "./protocol.js";
import type { ServedApi } from "./transport.js";

/** A way for runs beside messages. */
export interface FastLane {
  /** Sends a run. Returns false if it must go by message. */
  send(message: RunMessage): boolean;
  /** Takes the answers that the worker has given, and that the page has not noticed yet. */
  collect(): void;
  /** Ends every wait after the worker has ended. */
  end(): void;
}

/** The runs of one worker, on the page. Each has a number, by which the worker executes and answers it, however it comes. */
export class SentRuns {
  readonly #post: (message: RunMessage, transfer: Transferable[]) => void;
  readonly #open = new OpenSet<{ readonly run: number; readonly answer: (reply: RunReply) => void }>();
  #count = 0;
  #fastLane: FastLane | null = null;

  /** @param post sends a message to the worker */
  constructor(post: (message: RunMessage, transfer: Transferable[]) => void) {
    this.#post = post;
  }

  /** Sends later runs by `lane`, as far as it takes them. */
  use(lane: FastLane): void {
    this.#fastLane = lane;
  }

  /**
   * Sends a run. Resolves with its reply, if one comes.
   * @param onAnswer gets it as soon as it has come
   * @throws a DataCloneError when structured cloning cannot copy it
   */
  run(request: RunRequest, transfer: Transferable[], onAnswer: (reply: RunReply) => void): Promise<RunReply> {
    const run = this.#count + 1;
    if (this.#fastLane?.send({ run, request }) !== true) this.#post({ run, request }, transfer);
    this.#count = run;
    return new Promise((resolve) => {
      const answer = (reply: RunReply) => {
        onAnswer(reply);
        resolve(reply);
      };
      this.#open.add({ run, answer });
    });
  }

  /** Takes an answer of the worker. */
  readonly answered = ({ ran, reply }: RunAnswer): void => {
    for (const open of this.#open) {
      if (open.run !== ran) continue;
      this.#open.delete(open);
      return open.answer(reply);
    }
  };

  /** See `Transport`. */
  collect(): void {
    this.#fastLane?.collect();
  }

  end(): void {
    this.#fastLane?.end();
  }
}

/** Sends the reply to a run back the way that the run has come, or as a message. */
export type Answer = (answer: RunAnswer, transfer: Transferable[]) => void;

/** The runs of one page, in the worker. Begins them in the order of their numbers, whichever way each has come. */
export class ReceivedRuns {
  readonly #run: ServedApi["run"];
  #begun = 0;
  /** What begins the runs that have come before an earlier one. */
  readonly #early = new Map<number, () => void>();

  constructor(run: ServedApi["run"]) {
    this.#run = run;
  }

  received(message: RunMessage, answer: Answer): void {
    const begin = () => this.#begin(message, answer);
    // Only those that are early enter the map: a map that all pass through would keep some of them alive.
    if (message.run > this.#begun + 1) return void this.#early.set(message.run, begin);
    for (let next: typeof begin | undefined = begin; next !== undefined; next = this.#early.get(this.#begun + 1)) {
      this.#early.delete(this.#begun + 1);
      next();
    }
  }

  #begin({ run, request }: RunMessage, answer: Answer): void {
    this.#begun = run;
    void this.#run(request).then(({ reply, transfer }) => answer({ ran: run, reply }, transfer));
  }
}
