import type { Batch } from "@framebatch/batcher/engine/engine.js";
import type { PreparedBatch, PrepareBatch } from "./model-engine.js";

/** The part of an `ItemKind` that is watched. */
interface Watched<Row, Result> {
  readonly prepare: PrepareBatch<Row, Result>;
  readonly onSettled?: (item: Row) => void;
}

/**
 * The open items of batches that have lost a worker, of one model or of all models of a group. Handlers also work on
 * items that wait, and what follows an `await` in one runs at any time, so the run that the worker executed may be
 * blamed for an item of another run, and the model of that run for an item of another model.
 *
 * While there are suspects, items go to workers only with their batches, and these are exclusive: what ends a worker
 * then is in the run that it executes. So a run is blamed for another one at most once, and `maxCrashes` lets it live.
 */
export class Suspects {
  readonly #items = new Set<object>();
  readonly #settled = new WeakSet<object>();

  get areNone(): boolean {
    return this.#items.size === 0;
  }

  /** Returns the same kind, whose items are suspects from the end of a worker that has them until they settle. */
  among<Row extends object, Result, Kind extends Watched<Row, Result>>(kind: Kind & Watched<Row, Result>): Kind {
    return {
      ...kind,
      prepare: (batch: Batch<Row>) => this.#watched(batch, kind.prepare(batch)),
      onSettled: (item: Row) => {
        this.#settled.add(item);
        this.#items.delete(item);
        kind.onSettled?.(item);
      },
    };
  }

  #watched<Result>({ items }: Batch<object>, prepared: PreparedBatch<Result>): PreparedBatch<Result> {
    const runOn: PreparedBatch<Result>["runOn"] = async (client, run) => {
      try {
        return await prepared.runOn(client, run);
      } catch (error) {
        if (client.hasEnded) for (const item of items) if (!this.#settled.has(item)) this.#items.add(item);
        throw error;
      }
    };
    return { ...prepared, runOn };
  }
}
