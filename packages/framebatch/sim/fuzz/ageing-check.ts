import { BATCHES_PER_AGED, AGED_AFTER_MS } from "../../src/core/queue/ageing.js";
import type { FuzzRequest } from "./fuzz-request.js";
import { hold } from "./violation.js";

interface Aged {
  /** Batches that had left when it came of age. */
  readonly sinceBatch: number;
  /** It rides at the latest in so many-th batch from then on. */
  readonly bound: number;
}

/** I-17: once a request has come of age with k older ones in the queue, it rides in the 8 (k + 1)-th batch at the latest. */
export class AgeingCheck {
  readonly #aged = new Map<FuzzRequest, Aged>();
  #batches = 0;

  /** A batch leaves; `waiting` stays behind. */
  batchLeft(taken: readonly FuzzRequest[], waiting: ReadonlySet<FuzzRequest>, nowMs: number): void {
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
      () => `${passed} batches passed aged request ${id}, which is to ride in number ${bound}`,
    );
  }

  #comesOfAge(request: FuzzRequest, queued: readonly FuzzRequest[]): Aged {
    const older = queued.filter((other) => other.place < request.place).length;
    const aged = { sinceBatch: this.#batches, bound: BATCHES_PER_AGED * (older + 1) };
    this.#aged.set(request, aged);
    return aged;
  }
}
