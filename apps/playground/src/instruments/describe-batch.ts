import type { CompletedBatch, ReleaseReason } from "framebatch";
import { formatMs } from "../format.js";
import type { LoggedRequest } from "./activity-log.js";

/** Maximum number of caller names in a sentence. */
const NAMED = 6;

/** The reasons in a word. A batch is full at the size that pays, which is often below the largest one. */
export const REASON_NAMES: Readonly<Record<ReleaseReason, string>> = {
  full: "size reached",
  idle: "worker free",
  frame: "paint is near",
  window: "waited enough",
  flush: "flush()",
  unbatched: "batching off",
  retry: "retry",
};

export const ALL_REASONS = Object.keys(REASON_NAMES).filter(isReason);

function isReason(word: string): word is ReleaseReason {
  return Object.hasOwn(REASON_NAMES, word);
}

/** Why a batch was dispatched, as the end of a sentence that begins with "It was dispatched because". */
export const REASONS: Readonly<Record<ReleaseReason, string>> = {
  full: "as many requests were queued as pay in one batch",
  idle: "the worker was free, and there was no reason to wait",
  frame: "waiting longer would have missed the next paint",
  window: "its oldest request reached the maximum delay",
  flush: "the page called flush()",
  unbatched: "batching is off",
  retry: "a batch failed and is retried in parts",
};

/** Describes a batch: its requests, why it was dispatched, and how long it took. */
export function describeBatch(batch: CompletedBatch, riders: readonly LoggedRequest[]): string {
  const { size, paddedSize, reason, dispatchedAtMs, completedAtMs } = batch;
  const padding = paddedSize > size ? `, padded to ${paddedSize} rows` : "";
  const first = Math.min(...riders.map(({ askedAtMs }) => askedAtMs));
  const wait =
    riders.length === 0 ? "" : ` Its oldest request waited ${formatMs(Math.max(0, dispatchedAtMs - first))}.`;
  return `${describeSize(size)}${padding}: ${describeRiders(riders)} It was dispatched because ${REASONS[reason]}.${wait} Its answer came ${formatMs(completedAtMs - dispatchedAtMs)} later.`;
}

function describeSize(size: number): string {
  return size === 1 ? "A batch of one request" : `A batch of ${size} requests`;
}

function describeRiders(riders: readonly LoggedRequest[]): string {
  if (riders.length === 0) return "its requests are no longer in the log.";
  const names = riders.slice(0, NAMED).map(({ caller }) => caller);
  const others = riders.length - names.length;
  return others === 0 ? `${names.join(", ")}.` : `${names.join(", ")} and ${others} more.`;
}
