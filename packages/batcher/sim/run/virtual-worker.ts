import type { Batch, Engine, Outcome } from "../../src/engine/engine.js";
import { volumeOf } from "../../src/queue/shape.js";
import type { EventLoop } from "./event-loop.js";
import type { MeasuredSpan } from "./ledger.js";
import { randomAt } from "../model/random.js";
import { REFERENCE_VOLUME, type SimRequest } from "./sim-request.js";

/** How far a run's time deviates from its cost. */
export interface Noise {
  /** A share: 0.1 makes a run up to 10 % shorter or longer. */
  readonly share: number;
  readonly seed: number;
}

/**
 * Returns the noise of a run that starts at this instant. Noise depends on the instant and not on the number of runs,
 * so that policies with the same decisions get the same noise, and no policy wins a cell by a lucky draw.
 */
function noiseAt({ share, seed }: Noise, startMs: number): number {
  return share * (2 * randomAt(seed, Math.floor(NOISE_SLOTS_PER_MS * startMs)) - 1);
}

const NOISE_SLOTS_PER_MS = 16;

interface Job {
  readonly batch: Batch<SimRequest>;
  readonly done: (outcome: Outcome<number>) => void;
}

/**
 * A worker with one device. It runs batches one after the other, each for the time of the cost function plus or minus
 * noise.
 */
export class VirtualWorker implements Engine<SimRequest, number> {
  /** The number of runs that ended in the measured span; the fields below count their contents. */
  runs = 0;
  rows = 0;
  volume = 0;
  paddedVolume = 0;
  busyMs = 0;

  readonly #loop: EventLoop;
  readonly #costMs: (rows: number) => number;
  readonly #noise: Noise;
  readonly #span: MeasuredSpan;
  readonly #messageMs: number;
  readonly #jobs: Job[] = [];
  #onTheWay = 0;

  /**
   * Creates a worker.
   *
   * @param costMs Run time in milliseconds for a number of rows of the reference volume.
   * @param messageMs Time of a run's messages in both directions, in addition to the device time, in milliseconds.
   */
  constructor(loop: EventLoop, costMs: (rows: number) => number, noise: Noise, span: MeasuredSpan, messageMs = 0) {
    this.#loop = loop;
    this.#costMs = costMs;
    this.#noise = noise;
    this.#span = span;
    this.#messageMs = messageMs;
  }

  isIdle(): boolean {
    return this.#jobs.length === 0 && this.#onTheWay === 0;
  }

  run(batch: Batch<SimRequest>, done: (outcome: Outcome<number>) => void): void {
    this.#afterMessage(() => {
      this.#jobs.push({ batch, done });
      if (this.#jobs.length === 1) this.#start();
    });
  }

  #afterMessage(action: () => void): void {
    if (this.#messageMs === 0) return action();
    this.#onTheWay += 1;
    this.#loop.at(this.#loop.now() + this.#messageMs / 2, () => {
      this.#onTheWay -= 1;
      action();
    });
  }

  #start(): void {
    const job = this.#jobs[0];
    if (job === undefined) return;
    const startMs = this.#loop.now();
    const exactMs = this.#costMs(computedVolume(job.batch) / REFERENCE_VOLUME);
    const runMs = exactMs * (1 + noiseAt(this.#noise, startMs));
    this.#loop.at(startMs + runMs, () => this.#finish(job, startMs, runMs));
  }

  #finish(job: Job, startMs: number, runMs: number): void {
    this.#jobs.shift();
    this.#count(job.batch, startMs, startMs + runMs);
    this.#start();
    this.#afterMessage(() => job.done({ results: job.batch.items.map((item) => item.id), inferenceMs: runMs }));
  }

  #count(batch: Batch<SimRequest>, startMs: number, endMs: number): void {
    const overlapMs = Math.min(endMs, this.#span.toMs) - Math.max(startMs, this.#span.fromMs);
    if (overlapMs > 0) this.busyMs += overlapMs;
    if (endMs < this.#span.fromMs || endMs > this.#span.toMs) return;
    this.runs++;
    this.rows += batch.items.length;
    this.paddedVolume += computedVolume(batch);
    for (const item of batch.items) this.volume += volumeOf(item.extents);
  }
}

function computedVolume({ paddedSize, extents }: Batch<SimRequest>): number {
  return paddedSize * (extents.length === 0 ? REFERENCE_VOLUME : volumeOf(extents));
}
