import type { RowContent } from "@framebatch/rows/collate/prepared-item.js";
import { isDetached } from "@framebatch/rows/collate/sent-rows.js";
import type { RunResult } from "../workers/run.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/** Whether the memory of a row is here. That of one that was transferred to a worker is not, until the worker returns it. */
export function isHere({ data }: RowContent): boolean {
  for (const elements of data) if (elements !== null && isDetached(elements)) return false;
  return true;
}

/** Returns the result of a batch of which only a part was sent. */
export function ofPart(result: RunResult): RunResult {
  return result.ok ? result : { ...result, isPartial: true };
}

/** Returns the error of a row or an item that its worker has taken along. */
export function lostWithWorker(): FramebatchError {
  return new FramebatchError(
    "WORKER_CRASHED",
    "the worker ended, and the item had moved there; predict again with a new item, or without transfer: true",
  );
}
