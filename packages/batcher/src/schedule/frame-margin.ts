import type { CompletedBatch } from "../queue/request.js";

/** Share of the margin that remains after each batch that has made its frame. */
const KEPT = 0.995;

/**
 * The time that a batch must be ready before the frame that it waits for. Answers come late just before a frame, because
 * the page is busy with it, and a wait that misses its frame was not free. So the margin grows by as much as a batch was
 * late, and shrinks slowly while batches are on time: one batch in some hundred tries a shorter margin.
 */
export class FrameMargin {
  #ms = 0;
  /** The newest batch that waited for a frame; `null` once it is answered. Times in milliseconds. */
  #aim: { readonly dispatchedAtMs: number; readonly frameMs: number } | null = null;

  /** In milliseconds. */
  get ms(): number {
    return this.#ms;
  }

  /** Records that a batch has waited for the frame at `frameMs`, and is dispatched at `dispatchedAtMs`. */
  dispatched(dispatchedAtMs: number, frameMs: number): void {
    this.#aim = { dispatchedAtMs, frameMs };
  }

  /** Records that a batch was answered. */
  answered({ dispatchedAtMs, completedAtMs }: Pick<CompletedBatch, "dispatchedAtMs" | "completedAtMs">): void {
    if (this.#aim?.dispatchedAtMs !== dispatchedAtMs) return;
    const { frameMs } = this.#aim;
    this.#aim = null;
    this.#ms = completedAtMs > frameMs ? this.#ms + completedAtMs - frameMs : this.#ms * KEPT;
  }
}
