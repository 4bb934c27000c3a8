import { Batcher } from "../../src/batcher/batcher.js";
import type { BatcherConfig } from "../../src/batcher/batcher-config.js";
import type { Engine } from "../../src/engine/engine.js";
import { FramebatchError } from "../../src/errors/errors.js";
import type { RequestOptions, Ticket } from "../../src/queue/request.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";
import { RecordingEngine } from "./recording-engine.js";
import { expectSums } from "./sums.js";

/** A batcher with its dependencies, and the outcome of each item: its result, or the code of its error. */
export function batching(options: Partial<BatcherConfig<string, string>> = {}) {
  const clock = new ManualClock();
  const frames = new ManualFrames();
  const engine = new RecordingEngine(clock);
  const outcomes: Record<string, unknown> = {};
  const watched: Engine<string, string> = {
    run(batch, done) {
      expectSums(batcher.stats());
      engine.run(batch, done);
    },
  };
  const config = { clock, frames, engine: watched, release: "idle", maxBatchSize: 4, ...options } as const;
  const batcher = new Batcher<string, string>(config);
  const settle = (item: string, outcome: unknown): void => {
    expectSums(batcher.stats());
    outcomes[item] = item in outcomes ? "settled twice" : outcome;
  };
  const ask = (item: string, asked?: RequestOptions): Ticket =>
    batcher.enqueue(
      item,
      {
        resolve: (result) => settle(item, result),
        reject: (error) => settle(item, error instanceof FramebatchError ? error.code : error),
      },
      asked,
    );
  /** Makes one request per letter in one task: "abc" is three requests. */
  const task = (items: string, asked?: RequestOptions): Ticket[] => {
    const tickets = Array.from(items, (item) => ask(item, asked));
    clock.endTask();
    expectSums(batcher.stats());
    return tickets;
  };
  return { batcher, clock, frames, engine, log: engine.log, outcomes, ask, task };
}
