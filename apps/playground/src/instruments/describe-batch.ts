import type { CompletedBatch, ReleaseReason } from "framebatch";
import { formatMs } from "../format.js";
import type { LoggedRequest } from "./activity-log.js";

/** Names that a sentence can take before it becomes a list. */
const NAMED = 6;

/** Why a batch left, as the end of a sentence that begins "It left because". */
export const REASONS: Readonly<Record<ReleaseReason, string>> = {
  full: "as many waited as a batch should hold",
  idle: "the worker was free, and nothing spoke for waiting",
  frame: "waiting longer would have missed the next paint",
  window: "its oldest request had waited for the longest delay",
  flush: "the page asked for it",
  unbatched: "batching is off",
  retry: "a batch had failed, and its parts run again",
};

/** One batch in plain words: who rode in it, why it left, and how long all of it took. */
export function describeBatch(batch: CompletedBatch, riders: readonly LoggedRequest[]): string {
  const { size, paddedSize, reason, dispatchedAtMs, completedAtMs } = batch;
  const padding = paddedSize > size ? `, padded to ${paddedSize} rows` : "";
  const first = Math.min(...riders.map(({ askedAtMs }) => askedAtMs));
  const wait = riders.length === 0 ? "" : ` Its oldest waited ${formatMs(Math.max(0, dispatchedAtMs - first))}.`;
  return `${describeSize(size)}${padding}: ${describeRiders(riders)} It left because ${REASONS[reason]}.${wait} Its answer came ${formatMs(completedAtMs - dispatchedAtMs)} later.`;
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
