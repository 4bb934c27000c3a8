import { startTimeoutFor } from "@framebatch/host/hang-watchdog.js";
import type { SlotListener } from "./slot-listener.js";
import type { WorkerClient } from "./worker-client.js";

/** Ends workers that have not failed. Nothing is lost with them: they first return what only they have. */
export class RetiringWorkers {
  readonly #listener: Pick<SlotListener, "onRetiring">;
  readonly #graceMs: number;
  /** Those that take no new run, and end with their last one, or when they have returned what they have borrowed. */
  readonly #leaving = new Set<WorkerClient>();

  /** @param runTimeoutMs the option of the model */
  constructor(listener: Pick<SlotListener, "onRetiring">, runTimeoutMs: number | null) {
    this.#listener = listener;
    this.#graceMs = startTimeoutFor(runTimeoutMs);
  }

  /** Ends a worker now. Forgets one that has ended already, whose answers still count. */
  end(client: WorkerClient): void {
    if (client.hasEnded) return void this.#leaving.delete(client);
    this.#listener.onRetiring(client);
    this.#leaving.add(client);
    void client.gone.then(() => this.end(client));
    if (client.hasBorrowed) client.retire(null, this.#graceMs);
    else client.terminate(null);
  }

  /** Ends a worker when it has answered its runs. */
  endWhenIdle(client: WorkerClient): void {
    this.#leaving.add(client);
    void client.idle().then(() => this.end(client));
  }

  /** Ends all that are leaving: nobody needs what they still do. Their runs reject with `reason`. */
  terminate(reason: unknown): void {
    for (const client of this.#leaving) client.terminate(reason);
  }
}
