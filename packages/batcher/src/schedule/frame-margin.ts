import type { CompletedBatch } from "../queue/request.js";

/** Share of the margin that remains after each batch that has not missed its frame. */
const KEPT = 0.995;

/** A frame that a batch waits for. Times in milliseconds. */
interface Aim {
  readonly dispatchedAtMs: number;
  readonly frameMs: number;
  readonly periodMs: number;
}

/**
 * The time that a batch must be ready before the frame that it waits for. Answers come late just before a frame, because
 * the page is busy with it, and a wait that misses its frame was not free. So the margin grows by as much as a batch was
 * late, to a frame at most, and shrinks slowly with each other batch: one in some hundred tries a shorter margin. With a
 * margin of a frame no batch waits, so those that wait for none must shrink it, too.
 */
export class FrameMargin {
  /** In milliseconds. Only this class changes it. */
  ms = 0;
  /** That of the newest batch that waited for a frame; `null` once it is answered. Only this class changes it. */
  aim: Aim | null = null;

  /** Records that a batch is dispatched that has waited for a frame. */
  dispatched(aim: Aim): void {
    this.aim = aim;
  }

  /** Records that a batch was answered. */
  answered({ dispatchedAtMs, completedAtMs }: Pick<CompletedBatch, "dispatchedAtMs" | "completedAtMs">): void {
    const aim = this.aim?.dispatchedAtMs === dispatchedAtMs ? this.aim : null;
    if (aim !== null) this.aim = null;
    if (aim === null || completedAtMs <= aim.frameMs) this.ms *= KEPT;
    else this.ms = Math.min(this.ms + completedAtMs - aim.frameMs, aim.periodMs);
  }
}
