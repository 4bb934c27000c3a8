/** The invariants of every run. The numbers are those of the design notes; the browser tests cover the missing ones. */
export const INVARIANTS = {
  "I-1": "every request settles exactly once",
  "I-2": "a request gets the result of its own input",
  "I-3": "a batch has from one to maxBatchSize items, of one group, padded to an allowed size and to the largest item",
  "I-4":
    "within a priority, deadlines and then arrival decide, and no request waits for a lower priority, except for the turn of an aged one",
  "I-5": "the queue never holds more than maxQueueSize, and rejects no request for which there is room",
  "I-6": "at most two batches for each engine are in flight",
  "I-7": "a request is rejected for a reason of its own only",
  "I-8": "no batch is dispatched while the batcher is paused",
  "I-11": "nothing throws out of the batcher, and nothing settles inside its own enqueue",
  "I-12": "a settled or superseded request never reaches the engine, and a dispatched one is not shed",
  "I-13": "the search for the item that fails takes few runs, and none for an item that has succeeded",
  "I-14": "the statistics add up and match what was observed",
  "I-15": "a scenario ends",
  "I-16":
    "no request waits longer than the release rule allows while the engine takes another batch, even if a run hangs",
  "I-17": "a bounded number of batches is dispatched before an aged request",
  "I-19": "no timer fires while nothing is queued or running, and nothing runs after dispose",
  "I-20": "the most urgent request, or in its turn the oldest, is in the next batch, whatever its size",
  "I-21": "an urgent request waits for background requests at most a frame, or the time of one item",
  "time limit": "no answer comes after timeoutMs",
  determinism: "the same seed gives the same trace",
  queues: "requests that are alike run as they would in the orders of the queue",
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** An invariant that does not hold. */
export class Violation extends Error {
  readonly invariant: Invariant;

  constructor(invariant: Invariant, message: string) {
    super(`${invariant} (${INVARIANTS[invariant]}): ${message}`);
    this.invariant = invariant;
  }
}

/** Throws a `Violation` unless the condition holds. Builds the message only then. */
export function hold(condition: boolean, invariant: Invariant, message: () => string): void {
  if (!condition) throw new Violation(invariant, message());
}
