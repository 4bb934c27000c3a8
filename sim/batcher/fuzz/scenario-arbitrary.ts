import fc from "fast-check";
import type { Scenario } from "./scenario.js";

/** Scenarios that fast-check can shrink: towards few requests, one at a time, no faults and no page events. */
export function scenarioArbitrary(): fc.Arbitrary<Scenario> {
  return fc.integer({ min: 1, max: 12 }).chain((maxBatchSize) =>
    fc.record({
      batcher: batcherArbitrary(maxBatchSize),
      items: fc.record({
        groups: fc.constantFrom(1, 3),
        isRagged: fc.boolean(),
        contents: fc.integer({ min: 1, max: 40 }),
        poisonRate: rate(0.3),
      }),
      culprits: fc.record({ isRepeatable: fc.boolean(), abortRate: rate(1) }),
      throwRate: rate(0.1),
      engine: fc.record({
        fixedMs: milliseconds(60),
        perRowMs: milliseconds(10),
        noise: rate(0.3),
        failRate: rate(0.3),
        fatalRate: rate(0.2),
        wrongLengthRate: rate(0.2),
        itemErrorRate: rate(0.2),
        slowRate: rate(0.2),
        hangRate: rate(0.1),
      }),
      traffic: fc.record({
        requests: fc.integer({ min: 1, max: 60 }),
        meanGapMs: milliseconds(30),
        largestBurst: fc.integer({ min: 1, max: 12 }),
        keyRate: rate(0.5),
        timeoutRate: rate(0.5),
        abortRate: rate(0.5),
        moveRate: rate(0.5),
        priorityRate: rate(1),
        returnRate: rate(0.8),
      }),
      page: fc.record({
        flipRate: rate(0.1),
        jumpRate: rate(0.05),
        flushRate: rate(0.1),
        pauseRate: rate(0.1),
        isDisposed: fc.boolean(),
      }),
    }),
  );
}

function batcherArbitrary(maxBatchSize: number): fc.Arbitrary<Scenario["batcher"]> {
  return fc.record({
    release: fc.constantFrom("idle", "frame", "window", "off"),
    maxBatchSize: fc.constant(maxBatchSize),
    allowedBatchSizes: fc.constantFrom(undefined, [maxBatchSize]),
    maxQueueDelayMs: fc.integer({ min: 0, max: 30 }),
    maxLatencyMs: fc.option(fc.integer({ min: 20, max: 300 }), { nil: undefined }),
    maxQueueSize: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    dedupe: fc.boolean(),
    resultCacheSize: fc.integer({ min: 0, max: 8 }),
    engines: fc.integer({ min: 1, max: 3 }),
    handoverMs: milliseconds(1),
  });
}

/** A probability up to `most`, which is often zero. */
function rate(most: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: 20 }).map((twentieths) => (most * Math.max(0, twentieths - 8)) / 12);
}

/** In hundredths of the longest duration, so that shrinking is quick. Never zero: every step takes some time. */
function milliseconds(longest: number): fc.Arbitrary<number> {
  return fc.integer({ min: 1, max: 100 }).map((hundredths) => (longest * hundredths) / 100);
}
