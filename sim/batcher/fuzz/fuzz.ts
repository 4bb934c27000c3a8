import { PlainQueue } from "@framebatch/batcher/queue/lanes.js";
import { runSeed } from "./run-seed.js";
import { Violation } from "./checks/violation.js";

/** A seed that breaks an invariant. */
export interface Counterexample {
  readonly seed: number;
  readonly violation: Violation;
}

export interface FuzzReport {
  readonly scenarios: number;
  readonly requests: number;
  readonly counterexamples: readonly Counterexample[];
}

/** Every 1,000th seed runs again as it was, and the two traces are compared. */
const REPEAT_EVERY = 1000;

/** Runs `count` seeds from `firstSeed` on, and stops after `most` counterexamples. */
export function fuzz(firstSeed: number, count: number, most = 1): FuzzReport {
  const counterexamples: Counterexample[] = [];
  let [scenarios, requests] = [0, 0];
  for (let seed = firstSeed; seed < firstSeed + count && counterexamples.length < most; seed++) {
    scenarios++;
    try {
      requests += runWithBothQueues(seed);
    } catch (error) {
      counterexamples.push({ seed, violation: asViolation(error) });
    }
  }
  return { scenarios, requests, counterexamples };
}

function runWithBothQueues(seed: number): number {
  const { requests, traceHash } = runSeed(seed);
  if (withoutPlainQueue(() => runSeed(seed)).traceHash !== traceHash) {
    throw new Violation("queues", "the orders of the queue led to another trace than the plain queue");
  }
  if (seed % REPEAT_EVERY === 0 && runSeed(seed).traceHash !== traceHash) {
    throw new Violation("determinism", "the same seed had two traces");
  }
  return requests;
}

/** Runs `work` with queues that give every request its place in both orders, even if all are alike. */
function withoutPlainQueue<Result>(work: () => Result): Result {
  const plain = Object.getOwnPropertyDescriptor(PlainQueue.prototype, "takes")!;
  Object.defineProperty(PlainQueue.prototype, "takes", { ...plain, value: () => false });
  try {
    return work();
  } finally {
    Object.defineProperty(PlainQueue.prototype, "takes", plain);
  }
}

/** The batcher must never throw, so any other error counts as a violation of I-11. */
function asViolation(error: unknown): Violation {
  if (error instanceof Violation) return error;
  return new Violation("I-11", error instanceof Error ? (error.stack ?? error.message) : String(error));
}
