import type { Batch } from "@framebatch/batcher/engine/engine.js";
import type { PreparedBatch } from "../engine/model-engine.js";
import type { WorkerClient } from "../workers/worker-client.js";
import type { PageItem } from "./page-items.js";

/** A batch that waits for its turn. */
interface Turn {
  readonly client: WorkerClient;
  readonly begin: () => void;
}

/**
 * The open items of batches that have lost a worker. Handlers also work on items that wait, and what follows an `await` in
 * one runs at any time, so the run that the worker executed may be blamed for an item of another run.
 *
 * While there are suspects, a worker has the items of one batch, and nothing else: what ends it then is in that batch. So a
 * run is blamed for another one at most once, and `maxCrashes` lets it live.
 */
export class Suspects {
  readonly #items = new Set<PageItem>();
  /** Number of batches in each worker. */
  readonly #batches = new Map<WorkerClient, number>();
  /** In the order in which they came. */
  readonly #waiting: Turn[] = [];

  get areNone(): boolean {
    return this.#items.size === 0;
  }

  /** Returns the same batch, which waits for its turn in each worker. */
  inTurns<Result>({ items }: Batch<PageItem>, prepared: PreparedBatch<Result>): PreparedBatch<Result> {
    return { ...prepared, runOn: (client, run) => this.#run(client, items, () => prepared.runOn(client, run)) };
  }

  /** Notes that an item needs no worker any more. */
  settled(item: PageItem): void {
    if (this.#items.delete(item)) this.#admit();
  }

  /** No await if it is free to go: the worker then receives the batch in the same turn of the event loop. */
  async #run<T>(client: WorkerClient, items: readonly PageItem[], attempt: () => Promise<T>): Promise<T> {
    const isBehind = this.#waiting.some((turn) => turn.client === client);
    if (isBehind || this.#isTaken(client)) await new Promise<void>((begin) => this.#waiting.push({ client, begin }));
    else this.#count(client, 1);
    try {
      return await attempt();
    } catch (error) {
      if (client.hasEnded) for (const item of items) if (!item.isSettled) this.#items.add(item);
      throw error;
    } finally {
      this.#count(client, -1);
      this.#admit();
    }
  }

  #isTaken(client: WorkerClient): boolean {
    return !this.areNone && this.#batches.has(client);
  }

  #count(client: WorkerClient, change: number): void {
    const count = (this.#batches.get(client) ?? 0) + change;
    if (count > 0) this.#batches.set(client, count);
    else this.#batches.delete(client);
  }

  /** Lets those begin whose turn has come. */
  #admit(): void {
    for (const turn of this.#waiting.splice(0)) {
      if (this.#isTaken(turn.client)) this.#waiting.push(turn);
      else {
        this.#count(turn.client, 1);
        turn.begin();
      }
    }
  }
}
