import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { BatcherStats } from "@framebatch/batcher/stats/stats.js";
import { EventLoop } from "../run/event-loop.js";
import { createRandom, streamSeed } from "../model/random.js";
import { VirtualFrames } from "../run/virtual-frames.js";
import { COPY_FAULT, FAULT, Faults, isPlanted } from "./faults.js";
import { FaultyEngine } from "./faulty-engine.js";
import type { FuzzRequest } from "./fuzz-request.js";
import { Liveness } from "./checks/liveness.js";
import { drawScenario, type Scenario } from "./scenario.js";
import { checkStats } from "./checks/stats-check.js";
import { Traffic } from "./traffic.js";
import { hold } from "./checks/violation.js";
import { Witness } from "./checks/witness.js";

/** More tasks than any run needs. A run that exceeds it is in an endless loop. */
const MAX_TASKS = 50_000;
/** The number of tasks between two checks of the statistics, and of checks between two resets of them. */
const STATS_EVERY = 64;
const RESET_EVERY = 3;

/** The outcome of a run. */
export interface FuzzResult {
  readonly requests: number;
  readonly traceHash: number;
}

/**
 * Runs one random scenario drawn from a seed.
 *
 * @throws Violation when an invariant does not hold.
 */
export function runSeed(seed: number): FuzzResult {
  return runScenario(drawScenario(createRandom(streamSeed(seed, "scenario"))), seed);
}

/**
 * Runs a given scenario. The seed decides what the scenario leaves to chance.
 *
 * @throws Violation when an invariant does not hold.
 */
export function runScenario(scenario: Scenario, seed: number): FuzzResult {
  const loop = new EventLoop();
  const frames = new VirtualFrames(loop);
  const faults = new Faults(createRandom(streamSeed(seed, "faults")), scenario.throwRate);
  const witness = new Witness(loop, scenario, faults);
  const engine = new FaultyEngine(loop, createRandom(streamSeed(seed, "engine")), scenario, witness, faults);
  const batcher = makeBatcher(scenario, loop, frames, engine, faults, witness);
  const liveness = new Liveness(loop, frames, witness, scenario);
  witness.onLeaving = (items) => liveness.leaves(items);
  loop.onTimer = () => {
    hold(witness.open + witness.inFlight > 0, "I-19", () => "a timer fired while nothing was queued or running");
  };
  const random = createRandom(streamSeed(seed, "traffic"));
  new Traffic({ loop, frames, batcher, witness }, random, scenario).start();
  let [tasks, looks] = [0, 0];
  while (loop.step(Infinity)) {
    if (witness.broken !== null) throw witness.broken;
    liveness.check();
    if (++tasks % STATS_EVERY === 0) {
      checkStats(statsOf(batcher), witness.seen());
      if (++looks % RESET_EVERY === 0) witness.reset(batcher);
    }
    hold(tasks < MAX_TASKS, "I-15", () => "the run never comes to rest");
  }
  hold(witness.open === 0, "I-1", () => `${witness.open} requests never settled`);
  checkStats(statsOf(batcher), witness.seen());
  return { requests: scenario.traffic.requests, traceHash: witness.trace.hash };
}

/** Returns the statistics, and retries while the clock throws. A throwing clock makes `stats()` throw, as it should. */
function statsOf(batcher: Batcher<FuzzRequest, number>): BatcherStats {
  for (;;) {
    try {
      return batcher.stats();
    } catch (error) {
      if (error !== FAULT) throw error;
    }
  }
}

function makeBatcher(
  { batcher: options, items }: Scenario,
  clock: EventLoop,
  frames: VirtualFrames,
  engine: FaultyEngine,
  faults: Faults,
  witness: Witness,
): Batcher<FuzzRequest, number> {
  const { allowedBatchSizes, maxLatencyMs, maxQueueSize, dedupe, resultCacheSize, ...rest } = options;
  return new Batcher<FuzzRequest, number>({
    ...rest,
    clock: faults.clock(clock),
    frames: faults.frames(frames),
    engine,
    onBatch: () => faults.maybe(FAULT),
    onError: (error) => {
      if (!isPlanted(error)) witness.broken ??= error;
    },
    ...(allowedBatchSizes !== undefined && { allowedBatchSizes }),
    ...(maxLatencyMs !== undefined && { maxLatencyMs }),
    ...(maxQueueSize !== undefined && { maxQueueSize }),
    ...((dedupe || resultCacheSize > 0) && {
      dedupe,
      resultCacheSize,
      contentKey: (item: FuzzRequest) => (faults.maybe(FAULT), String(item.content)),
      copyResult: (result: number) => (faults.maybe(COPY_FAULT), result),
    }),
    ...((items.groups > 1 || items.isRagged) && {
      shapeOf: (item: FuzzRequest) => (faults.maybe(FAULT), item.shape),
    }),
  });
}
