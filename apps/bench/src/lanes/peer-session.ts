import { transfer, wrap, type Endpoint } from "comlink";
import { grouped } from "../ort/grouped.js";
import type { BenchModel } from "../models.js";
import { shapeOf } from "../ort/item-shape.js";
import type { PeerHost } from "../ort/peer-host.js";
import { stackItems } from "../ort/stack-items.js";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { Backend } from "../results.js";
import type { CalledLane } from "./lane.js";
import { refusing } from "./refusing.js";

/** A batcher in front of the worker. */
export interface PeerBatcher {
  ask(item: BenchItem): Promise<Numbers>;
  close(): void;
}

/** Runs a list of items as one batch in the worker. Resolves to one output per item, in the same order. */
export type RunItems = (items: readonly BenchItem[]) => Promise<Numbers[]>;

/** Items with equal keys may share a batch. */
export type RideKey = (item: BenchItem) => string;

/**
 * Opens a lane with a third-party batcher in front of a worker behind Comlink.
 * @param batch creates the batcher
 * @param newWorker creates the worker
 */
export async function openPeer(
  model: BenchModel,
  backend: Backend,
  batch: (run: RunItems, keyOf: RideKey) => PeerBatcher,
  newWorker: () => PeerWorker = bareWorker,
): Promise<CalledLane> {
  const worker = newWorker();
  const remote = wrap<PeerHost>(worker);
  try {
    await Promise.race([remote.open(new URL(model.url, location.href).href, backend), failureOf(worker)]);
  } catch (error) {
    worker.terminate();
    throw error;
  }
  const tally = new BatchTally();
  const runBatch: RunItems = async (items) => {
    tally.add(items.length);
    const feeds = stackItems(items);
    const { data, dims } = await remote.run(
      transfer(
        feeds,
        Object.values(feeds).map((feed) => feed.data.buffer),
      ),
    );
    const rowLength = data.length / (dims[0] ?? 1);
    return items.map((_, row) => data.subarray(row * rowLength, (row + 1) * rowLength));
  };
  const batcher =
    model.lengths?.pads === false ? batch(splitByShape(runBatch), shapeOf) : batch(runBatch, () => "any shape");
  return {
    kind: "called",
    predict: (item, { signal } = {}) => refusing(signal, batcher.ask(item)),
    answer: (item) => batcher.ask(item),
    resetCounts: () => tally.reset(),
    counts: () => ({ meanBatchSize: tally.mean, busyShare: null, paddingWaste: null }),
    curve: () => null,
    wasmBytes: () => remote.wasmBytes(),
    close() {
      batcher.close();
      worker.terminate();
      return Promise.resolve();
    },
  };
}

/** Sends each item alone. */
export function oneByOne(run: RunItems): PeerBatcher {
  return {
    ask: async (item) => {
      const [output] = await run([item]);
      return output!;
    },
    close: () => {},
  };
}

/** Runs one batch per shape and resolves after all of them have completed. */
export function splitByShape(run: RunItems): RunItems {
  return async (items) => {
    const outputs = new Map<BenchItem, Numbers>();
    const answer = async (batch: readonly BenchItem[]): Promise<void> => {
      const rows = await run(batch);
      for (const [row, item] of batch.entries()) outputs.set(item, rows[row]!);
    };
    await Promise.all([...grouped(items, shapeOf).values()].map(answer));
    return items.map((item) => outputs.get(item)!);
  };
}

/** What a lane needs of a worker. */
export interface PeerWorker extends Endpoint {
  terminate(): void;
}

/** Rejects if a worker cannot be loaded. Comlink would wait for its answer forever. */
function failureOf(worker: PeerWorker): Promise<never> {
  return new Promise((_, reject) => {
    worker.addEventListener("error", (event: Event) => {
      const why = event instanceof ErrorEvent ? event.message : "it could not be loaded";
      reject(new Error(`The worker of the lane failed: ${why}.`));
    });
  });
}

/** A worker that contains only onnxruntime-web. */
function bareWorker(): Worker {
  return new Worker(new URL("../ort/peer-worker.ts", import.meta.url), { type: "module" });
}

class BatchTally {
  #batches = 0;
  #items = 0;

  add(items: number): void {
    this.#batches += 1;
    this.#items += items;
  }

  reset(): void {
    this.#batches = 0;
    this.#items = 0;
  }

  get mean(): number {
    return this.#items / this.#batches;
  }
}
