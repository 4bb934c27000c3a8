import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { Lane } from "./lane.js";
import { openPeer, type PeerBatcher, type RideKey, type RunItems } from "./peer-session.js";

const MAX_ROWS = 256;
const MAX_IN_FLIGHT = 2;

/**
 * A batcher that an application could write instead of using a library: a queue that a microtask sends to the worker,
 * without checks and statistics.
 */
export const handWritten: Lane = {
  name: "hand-written",
  open: (model, backend) => openPeer(model, backend, (run, keyOf) => new HandWritten(run, keyOf)),
};

interface Call {
  readonly item: BenchItem;
  readonly resolve: (output: Numbers) => void;
  readonly reject: (error: unknown) => void;
}

export class HandWritten implements PeerBatcher {
  readonly #run: RunItems;
  readonly #keyOf: RideKey;
  #queue: Call[] = [];
  #inFlight = 0;
  #isFlushDue = false;

  constructor(run: RunItems, keyOf: RideKey) {
    this.#run = run;
    this.#keyOf = keyOf;
  }

  ask(item: BenchItem): Promise<Numbers> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#flushSoon();
    });
  }

  close(): void {}

  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    queueMicrotask(() => {
      this.#isFlushDue = false;
      while (this.#inFlight < MAX_IN_FLIGHT && this.#queue.length > 0) void this.#send(this.#takeBatch());
    });
  }

  /** Takes all queued calls, up to `MAX_ROWS`, that have the same key as the oldest call. */
  #takeBatch(): Call[] {
    const key = this.#keyOf(this.#queue[0]!.item);
    const [batch, rest]: [Call[], Call[]] = [[], []];
    for (const call of this.#queue) {
      (batch.length < MAX_ROWS && this.#keyOf(call.item) === key ? batch : rest).push(call);
    }
    this.#queue = rest;
    return batch;
  }

  async #send(calls: readonly Call[]): Promise<void> {
    this.#inFlight += 1;
    try {
      const outputs = await this.#run(calls.map(({ item }) => item));
      for (let row = 0; row < calls.length; row++) calls[row]!.resolve(outputs[row]!);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
    this.#inFlight -= 1;
    this.#flushSoon();
  }
}
