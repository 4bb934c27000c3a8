import type { Engine, Outcome } from "@framebatch/batcher/engine/engine.js";
import { enclosing } from "@framebatch/batcher/queue/shape.js";
import type { SimRequest } from "../run/sim-request.js";
import type { Waiting } from "./fifo.js";

/** The worker as the baselines use it. It runs one batch at a time, settles its requests, and then calls `onFree`. */
export class Device {
  isBusy = false;
  readonly #engine: Engine<SimRequest, number>;
  readonly #onFree: (batch: readonly Waiting[], paddedSize: number) => void;
  #batches = 0;

  constructor(engine: Engine<SimRequest, number>, onFree: (batch: readonly Waiting[], paddedSize: number) => void) {
    this.#engine = engine;
    this.#onFree = onFree;
  }

  run(batch: readonly Waiting[], paddedSize = batch.length): void {
    this.isBusy = true;
    const extents = batch.map(({ item }) => item.extents).reduce(enclosing);
    const items = batch.map(({ item }) => item);
    const id = ++this.#batches;
    this.#engine.run(
      { id, items, paddedSize, extents, isAlone: false, reason: "idle", predictedMs: null },
      (outcome) => {
        this.isBusy = false;
        settle(batch, outcome);
        this.#onFree(batch, paddedSize);
      },
      () => undefined,
    );
  }
}

function settle(batch: readonly Waiting[], outcome: Outcome<number>): void {
  for (let i = 0; i < batch.length; i++) {
    const waiting = batch[i];
    if (waiting === undefined) continue;
    const result = "error" in outcome ? outcome.error : outcome.results[i];
    if (typeof result === "number") waiting.sink.resolve(result, null, waiting.enqueuedAtMs);
    else waiting.sink.reject(result);
  }
}
