import { makeItems } from "../items.js";
import { laneNamed } from "../lanes/all.js";
import type { CalledLane } from "../lanes/lane.js";
import { modelNamed } from "../real-models.js";
import type { BenchItem } from "../ort/tensors.js";
import { quantileOfSorted } from "../statistics/quantile.js";
import { seededRandom } from "../statistics/random.js";

const ITEMS = 64;

/** The times of calls that each of `callers` makes one after the other, in milliseconds. */
export interface CallTimes {
  readonly calls: number;
  /** From the first call to the last answer. */
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

let lane: CalledLane | null = null;
let items: readonly BenchItem[] = [];

const page = {
  /** Opens a lane. It is not asked for anything: the first calls are measured too. */
  async open(name: string, modelName: string, seed: number): Promise<void> {
    const model = modelNamed(modelName);
    items = makeItems(model, ITEMS, seededRandom(seed));
    const opened = await laneNamed(name).open(model, "wasm", items);
    if (opened.kind !== "called") throw new Error(`Expected a lane that is called, got ${name}.`);
    lane = opened;
  },

  async call(count: number, callers: number): Promise<CallTimes> {
    if (lane === null) throw new Error("Expected an open lane first.");
    const opened = lane;
    const latencies = new Float64Array(count);
    let asked = 0;
    const callInTurn = async (): Promise<void> => {
      while (asked < count) {
        const call = asked++;
        const calledMs = performance.now();
        await opened.predict(items[call % ITEMS]!);
        latencies[call] = performance.now() - calledMs;
      }
    };
    const startMs = performance.now();
    await Promise.all(Array.from({ length: callers }, callInTurn));
    const elapsedMs = performance.now() - startMs;
    latencies.sort();
    return {
      calls: count,
      elapsedMs,
      p50Ms: quantileOfSorted(latencies, 0.5),
      p99Ms: quantileOfSorted(latencies, 0.99),
    };
  },
};

declare global {
  interface Window {
    ledger: typeof page;
  }
}

window.ledger = page;
