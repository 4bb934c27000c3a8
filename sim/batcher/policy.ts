import type { Engine } from "@framebatch/batcher/engine/engine.js";
import type { Sink } from "@framebatch/batcher/queue/request.js";
import type { Random } from "./model/random.js";
import type { EventLoop } from "./run/event-loop.js";
import type { SimRequest } from "./run/sim-request.js";
import type { VirtualFrames } from "./run/virtual-frames.js";

/** Everything that a policy may use from the simulated world. */
export interface PolicyWorld {
  readonly clock: EventLoop;
  readonly frames: VirtualFrames;
  readonly engine: Engine<SimRequest, number>;
  readonly maxBatchSize: number;
  /** The longest allowed time from request to result, if the scenario sets one. */
  readonly objectiveMs: number | undefined;
  /** Whether requests differ in length, so that batches need padding. */
  readonly isRagged: boolean;
  /** Time of a run's messages in both directions, in addition to the device time, in milliseconds. @default 0 */
  readonly messageMs?: number;
  /** Returns the time of a warm-up run with this many rows, as measured while a model loads, with noise. */
  readonly warmUpMs: (rows: number) => number;
  readonly random: Random;
}

/** A running instance of a batching algorithm. */
export interface RunningPolicy {
  enqueue(item: SimRequest, sink: Sink<number>): void;
  /** Stops timers that would otherwise tick without end. Called at the end of the run. */
  stop(): void;
}

export type Policy = (world: PolicyWorld) => RunningPolicy;
