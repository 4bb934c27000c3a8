import { startTimeoutFor } from "@framebatch/host/watchdog.js";
import type { SlotListener } from "./slot-listener.js";
import type { WorkerClient } from "./worker-client.js";

/** Ends workers that have not failed. Nothing is lost with them: they first return what only they have. */
export class RetiringWorkers {
  readonly #listener: Pick<SlotListener, "onRetiring">;
  readonly #graceMs: number;
  /** Those that take no new run: they end with their last one, or return what they have borrowed. */
  readonly #leaving = new Set<WorkerClient>();

  /** @param runTimeoutMs the option of the model */
  constructor(listener: Pick<SlotListener, "onRetiring">, runTimeoutMs: number | null) {
    this.#listener = listener;
    this.#graceMs = startTimeoutFor(runTimeoutMs);
  }

  /** Ends a worker now. Leaves one alone that has ended already: its answers still count. */
  end(client: WorkerClient): void {
    if (client.hasEnded) return;
    this.#listener.onRetiring(client);
    if (!client.hasBorrowed) return client.terminate(null);
    client.retire(null, this.#graceMs);
    this.#leaving.add(client);
    void client.gone.then(() => this.#leaving.delete(client));
  }

  /** Ends a worker when it has answered its runs. */
  async endWhenIdle(client: WorkerClient): Promise<void> {
    this.#leaving.add(client);
    await client.idle();
    if (this.#leaving.delete(client)) this.end(client);
  }

  /** Ends all that are left. Their runs reject with `reason`. */
  terminate(reason: unknown): void {
    for (const client of this.#leaving) client.terminate(reason);
    this.#leaving.clear();
  }
}
