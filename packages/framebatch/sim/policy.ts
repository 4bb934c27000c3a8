import type { Clock } from "../src/core/clock.js";
import type { Engine } from "../src/core/engine/engine.js";
import type { Sink } from "../src/core/queue/request.js";
import type { Random } from "./random.js";
import type { SimRequest } from "./sim-request.js";
import type { VirtualFrames } from "./virtual-frames.js";

/** Everything that a policy may know of the world it runs in. */
export interface PolicyWorld {
  readonly clock: Clock;
  readonly frames: VirtualFrames;
  readonly engine: Engine<SimRequest, number>;
  readonly maxBatchSize: number;
  /** Longest time from request to result, where the scenario sets one. */
  readonly objectiveMs: number | undefined;
  /** Whether requests differ in length, so that batches need padding. */
  readonly isRagged: boolean;
  /** What the messages of a run take beside the device, in milliseconds. @default 0 */
  readonly messageMs?: number;
  /** A warm-up run of so many rows, as a model makes them while it loads: the time it takes, with noise. */
  readonly warmUpMs: (rows: number) => number;
  readonly random: Random;
}

/** A batching algorithm at work. */
export interface RunningPolicy {
  enqueue(item: SimRequest, sink: Sink<number>): void;
  /** The world ends: timers that would tick for ever stop. */
  stop(): void;
}

export type Policy = (world: PolicyWorld) => RunningPolicy;
