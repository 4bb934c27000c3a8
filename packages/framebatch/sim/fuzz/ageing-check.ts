import { BATCHES_PER_AGED, COMING_OF_AGE_MS } from "../../src/core/ageing.js";
import type { FuzzRequest } from "./fuzz-request.js";
import { hold } from "./violation.js";

interface Aged {
  /** The batch that left as it was first seen to be of age. */
  readonly sinceBatch: number;
  /** Batches that may leave before its own. */
  readonly bound: number;
}

/** I-17: once a request has come of age with k aged requests before it, at most 8 (k + 1) batches leave before its own. */
export class AgeingCheck {
  #batches = 0;
  readonly #aged = new Map<FuzzRequest, Aged>();

  batchLeft(taken: readonly FuzzRequest[], waiting: ReadonlySet<FuzzRequest>, nowMs: number): void {
    for (const request of taken) this.#aged.delete(request);
    for (const request of waiting) {
      if (!isOfAge(request, nowMs) || request.hasMoved) continue;
      const aged = this.#aged.get(request);
      if (aged === undefined) this.#comesOfAge(request, waiting, nowMs);
      else this.#check(request, aged);
    }
    this.#batches++;
  }

  #comesOfAge(request: FuzzRequest, waiting: ReadonlySet<FuzzRequest>, nowMs: number): void {
    let aged = 0;
    for (const other of waiting) if (isOfAge(other, nowMs)) aged++;
    this.#aged.set(request, { sinceBatch: this.#batches, bound: BATCHES_PER_AGED * aged });
  }

  #check(request: FuzzRequest, { sinceBatch, bound }: Aged): void {
    const passed = this.#batches - sinceBatch;
    hold(passed <= bound, "I-17", () => `${passed} batches passed aged request ${request.id}, where ${bound} may`);
  }
}

function isOfAge({ enqueuedAtMs }: FuzzRequest, nowMs: number): boolean {
  return nowMs - enqueuedAtMs >= COMING_OF_AGE_MS;
}
