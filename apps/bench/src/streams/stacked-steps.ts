import type { StreamSteps } from "../ort/stream-worker.js";

/** Runs in flight: one executes, and the next one waits in the worker. */
const MAX_IN_FLIGHT = 2;

interface Step {
  readonly stream: number;
  readonly samples: Float32Array;
  readonly resolve: (score: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A batcher of steps that an application could write: a queue that a microtask sends to the worker, with at most one
 * step of a stream in a batch, and no other one of that stream in flight.
 */
export class StackedSteps {
  readonly #maxRows: number;
  readonly #run: (steps: StreamSteps) => Promise<Float32Array>;
  readonly #busy = new Set<number>();
  #queue: Step[] = [];
  #inFlight = 0;
  #isFlushDue = false;
  #ran = { rows: 0, runs: 0 };

  constructor(maxRows: number, run: (steps: StreamSteps) => Promise<Float32Array>) {
    this.#maxRows = maxRows;
    this.#run = run;
  }

  ask(stream: number, samples: Float32Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ stream, samples, resolve, reject });
      this.#flushSoon();
    });
  }

  meanBatch(): number {
    const { rows, runs } = this.#ran;
    this.#ran = { rows: 0, runs: 0 };
    return rows / runs;
  }

  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    queueMicrotask(() => {
      this.#isFlushDue = false;
      while (this.#inFlight < MAX_IN_FLIGHT) {
        const batch = this.#takeBatch();
        if (batch.length === 0) return;
        void this.#send(batch);
      }
    });
  }

  #takeBatch(): Step[] {
    const [batch, rest]: [Step[], Step[]] = [[], []];
    for (const step of this.#queue) {
      const isNext = batch.length < this.#maxRows && !this.#busy.has(step.stream);
      if (isNext) this.#busy.add(step.stream);
      (isNext ? batch : rest).push(step);
    }
    this.#queue = rest;
    return batch;
  }

  async #send(batch: readonly Step[]): Promise<void> {
    this.#inFlight += 1;
    this.#ran = { rows: this.#ran.rows + batch.length, runs: this.#ran.runs + 1 };
    try {
      const scores = await this.#run({ streams: batch.map(({ stream }) => stream), samples: joined(batch) });
      for (const [row, { resolve }] of batch.entries()) resolve(scores[row]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    for (const { stream } of batch) this.#busy.delete(stream);
    this.#inFlight -= 1;
    this.#flushSoon();
  }
}

function joined(batch: readonly Step[]): Float32Array<ArrayBuffer> {
  const length = batch[0]!.samples.length;
  const all = new Float32Array(length * batch.length);
  for (const [row, { samples }] of batch.entries()) all.set(samples, row * length);
  return all;
}
