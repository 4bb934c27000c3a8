import { BATCHES_PER_AGED, AGED_AFTER_MS } from "@framebatch/batcher/queue/request-queue.js";
import type { FuzzRequest } from "../fuzz-request.js";
import { hold } from "./violation.js";

interface Aged {
  /** The number of batches dispatched before the request became aged. */
  readonly sinceBatch: number;
  /** The request must be in this batch at the latest, counted from then on. */
  readonly bound: number;
}

/** I-17: a request that becomes aged with k older requests in the queue is dispatched no later than batch 8 (k + 1). */
export class AgeingCheck {
  readonly #aged = new Map<FuzzRequest, Aged>();
  #batches = 0;

  /** Records a dispatched batch. `waiting` holds the requests that remain in the queue. */
  batchDispatched(taken: readonly FuzzRequest[], waiting: ReadonlySet<FuzzRequest>, nowMs: number): void {
    for (const request of waiting) {
      if (nowMs - request.waitingSinceMs < AGED_AFTER_MS) continue;
      this.#passedOver(request, this.#aged.get(request) ?? this.#comesOfAge(request, [...taken, ...waiting]));
    }
    for (const request of taken) this.#aged.delete(request);
    this.#batches++;
  }

  #passedOver({ id }: FuzzRequest, { sinceBatch, bound }: Aged): void {
    const passed = this.#batches + 1 - sinceBatch;
    hold(
      passed < bound,
      "I-17",
      () => `${passed} batches passed aged request ${id}, which must be in batch ${bound} at the latest`,
    );
  }

  #comesOfAge(request: FuzzRequest, queued: readonly FuzzRequest[]): Aged {
    const older = queued.filter((other) => other.place < request.place).length;
    const aged = { sinceBatch: this.#batches, bound: BATCHES_PER_AGED * (older + 1) };
    this.#aged.set(request, aged);
    return aged;
  }
}
