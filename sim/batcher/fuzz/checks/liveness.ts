import type { EventLoop } from "../../run/event-loop.js";
import { FRAME_MS, type VirtualFrames } from "../../run/virtual-frames.js";
import type { Scenario } from "../scenario.js";
import type { FuzzRequest } from "../fuzz-request.js";
import { hold } from "./violation.js";
import type { Witness } from "./witness.js";

/** A wait aims at one frame. The second frame allows for the error of the prediction that sets the aim. */
const MAX_FRAMES = 2;

/**
 * I-16: no request waits longer than the release rule allows while the engine takes another batch. It may wait for a run
 * until that is overdue.
 */
export class Liveness {
  readonly #loop: EventLoop;
  readonly #frames: VirtualFrames;
  readonly #witness: Witness;
  readonly #limitMs: number;
  readonly #isUnbatched: boolean;
  #freeSinceMs = 0;
  #wasPaused = false;

  constructor(loop: EventLoop, frames: VirtualFrames, witness: Witness, { batcher, page, throwRate }: Scenario) {
    this.#loop = loop;
    this.#frames = frames;
    this.#witness = witness;
    this.#isUnbatched = batcher.release === "off";
    const isOnTime = page.jumpRate === 0 && page.flipRate === 0 && throwRate === 0;
    this.#limitMs = isOnTime ? longestWaitMs(batcher) : Infinity;
  }

  /** Call between tasks. */
  check(): void {
    const { waiting, hasFreeSlot, isPaused, isDisposed } = this.#witness;
    if (!hasFreeSlot || isPaused || this.#wasPaused || isDisposed) this.#freeSinceMs = this.#loop.now();
    this.#wasPaused = isPaused;
    const [oldest] = waiting;
    if (oldest !== undefined) this.#checkWait(oldest);
  }

  /** Call before a batch leaves: an event may have ended a wait that was too long. */
  leaves(items: readonly FuzzRequest[]): void {
    if (this.#wasPaused || this.#limitMs === Infinity) return;
    for (const item of items) this.#checkWait(item);
  }

  #checkWait({ id, enqueuedAtMs }: FuzzRequest): void {
    const { inFlight, endedAtMs, overdueAtMs } = this.#witness;
    const engineAtMs = this.#isUnbatched || inFlight === 0 ? 0 : overdueAtMs;
    const waitedMs = this.#loop.now() - Math.max(this.#freeSinceMs, endedAtMs, enqueuedAtMs, engineAtMs);
    // A wait for a free engine needs a timer, which a hidden tab fires late; without one there is no wait there.
    const limitMs = this.#frames.isHidden() && inFlight === 0 ? Math.min(0, this.#limitMs) : this.#limitMs;
    hold(waitedMs <= limitMs + 1e-6, "I-16", () => `request ${id} waited ${waitedMs} ms beside a free slot`);
  }
}

function longestWaitMs({ release, maxQueueDelayMs }: Scenario["batcher"]): number {
  if (release === "frame") return MAX_FRAMES * FRAME_MS;
  return release === "window" ? maxQueueDelayMs : 0;
}
