import type { Batch, Engine, Outcome } from "../../src/engine/engine.js";
import type { ManualClock } from "@framebatch/host/test/manual-clock.js";

interface Job {
  readonly batch: Batch<string>;
  readonly done: (outcome: Outcome<string>) => void;
}

/** Logs every batch, as "12: a b (idle)", and answers when the test calls `answer`: "a" with "A". */
export class RecordingEngine implements Engine<string, string> {
  readonly log: string[] = [];
  readonly batches: Batch<string>[] = [];
  /** The predicted time of each batch at its start. */
  readonly predictions: (number | null)[] = [];
  readonly #open: Job[] = [];
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  run(batch: Batch<string>, done: (outcome: Outcome<string>) => void): void {
    this.batches.push(batch);
    this.predictions.push(batch.predictedMs);
    const atMs = Math.round(1000 * this.#clock.now()) / 1000;
    this.log.push(`${atMs}: ${batch.items.join(" ")} (${batch.reason})`);
    this.#open.push({ batch, done });
  }

  /** The number of batches without an answer. */
  get open(): number {
    return this.#open.length;
  }

  /** Answers the oldest open batch. The default outcome is its items in capitals. */
  answer(outcome: (items: readonly string[]) => Outcome<string> = capitals): void {
    const job = this.#open.shift();
    if (job === undefined) throw new RangeError("expected an open batch, got none");
    job.done(outcome(job.batch.items));
  }
}

function capitals(items: readonly string[]): Outcome<string> {
  return { results: items.map((item) => item.toUpperCase()) };
}
