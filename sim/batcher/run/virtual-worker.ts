import type { Batch, Engine, Outcome } from "@framebatch/batcher/engine/engine.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { EventLoop } from "./event-loop.js";
import type { MeasuredSpan } from "./ledger.js";
import { randomAt } from "../model/random.js";
import { REFERENCE_VOLUME, type SimRequest } from "./sim-request.js";
import { type Cost, NO_PAGE } from "../model/costs.js";

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

/** A worker that has had nothing to do for this long is slow at first, in milliseconds: no loop of callers takes so long. */
const PAUSE_AFTER_MS = 4;

/**
 * A worker with one device. It runs batches one after the other, each for the time of the cost function plus or minus
 * noise. It shares no processor with the page: its time goes on while a task of the page runs.
 */
export class VirtualWorker implements Engine<SimRequest, number> {
  /** The number of runs that ended in the measured span; the fields below count their contents. */
  runs = 0;
  rows = 0;
  volume = 0;
  paddedVolume = 0;
  busyMs = 0;

  readonly #loop: EventLoop;
  readonly #cost: Cost;
  readonly #noise: Noise;
  readonly #span: MeasuredSpan;
  #freeAtMs = 0;
  /** Number of runs whose answers have not reached the page. */
  #open = 0;

  constructor(loop: EventLoop, cost: Cost, noise: Noise, span: MeasuredSpan) {
    this.#loop = loop;
    this.#cost = cost;
    this.#noise = noise;
    this.#span = span;
  }

  isIdle(): boolean {
    return this.#open === 0;
  }

  run(batch: Batch<SimRequest>, done: (outcome: Outcome<number>) => void): void {
    const { messageMs = 0, page = NO_PAGE } = this.#cost;
    this.#loop.jump(page.messageMs);
    const arrivesMs = this.#loop.now() + messageMs / 2;
    const wakeMs = arrivesMs - this.#freeAtMs > PAUSE_AFTER_MS ? page.pauseMs : 0;
    const startMs = Math.max(arrivesMs, this.#freeAtMs) + wakeMs;
    const inferenceMs = this.#inferenceMs(batch, startMs);
    this.#freeAtMs = startMs + inferenceMs + page.workerMs;
    this.#count(batch, startMs, this.#freeAtMs);
    this.#open += 1;
    this.#loop.at(this.#freeAtMs + messageMs / 2, () => {
      this.#open -= 1;
      this.#loop.jump(page.messageMs + batch.items.length * page.callMs);
      done({ results: batch.items.map((item) => item.id), inferenceMs });
    });
  }

  #inferenceMs(batch: Batch<SimRequest>, startMs: number): number {
    return this.#cost.ms(computedVolume(batch) / REFERENCE_VOLUME) * (1 + noiseAt(this.#noise, startMs));
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
