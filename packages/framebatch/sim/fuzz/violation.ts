/** What must hold, whatever happens. The numbers are those of the design notes; some of them are for the browser tests. */
export const INVARIANTS = {
  "I-1": "every request settles exactly once",
  "I-2": "a request gets the result of its own input",
  "I-3": "a batch has from one to maxBatchSize items, of one group, padded to an allowed size and to the largest item",
  "I-4":
    "within a priority, deadlines and then arrival decide; nobody waits for a lower priority, but for an aged one's turn",
  "I-5": "the queue never holds more than maxQueueSize, and turns away nobody for whom there is room",
  "I-6": "at most two batches for each engine are in flight",
  "I-7": "a request is rejected for a reason of its own only",
  "I-8": "while the batcher is paused no batch leaves",
  "I-11": "nothing throws out of the batcher, and nothing settles inside its own enqueue",
  "I-12": "what has settled or has been replaced never reaches the engine, and what has left is not refused",
  "I-13": "the search for a culprit takes few runs, and none for an item that has succeeded",
  "I-14": "the statistics add up and tell what was seen",
  "I-15": "a run comes to rest",
  "I-16": "nobody waits for a free engine longer than the release rule allows",
  "I-17": "a request that has come of age is passed by a bounded number of batches",
  "I-19": "no timer fires while nothing is queued or running, and nothing runs after dispose",
  "I-20": "whoever is the most urgent, or in its turn the oldest, rides in the batch that leaves, whatever its size",
  "time limit": "no answer comes after timeoutMs",
  determinism: "the same seed gives the same trace",
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

/** Throws a `Violation` unless the condition holds. The message is only made when it does not. */
export function hold(condition: boolean, invariant: Invariant, message: () => string): void {
  if (!condition) throw new Violation(invariant, message());
}
