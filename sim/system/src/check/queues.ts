import type { Entry } from "../logs/ledger.js";
import type { Life, Play } from "../play/play.js";
import { rankOf } from "../scenario/priority.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Scene } from "../play/stagehand.js";
import { codeIn } from "../logs/error-code.js";
import type { Violation } from "../logs/violation.js";

/**
 * The queue of a function holds as many calls as it may, a newer call takes the place of the one with its key, and of equally urgent
 * calls the one that was made first begins first. Lists are not judged, which wait for room, nor items that are asked twice.
 */
export function checkQueues(
  { lives, ledger }: Play,
  { subjects }: Scenario,
  { origin: { witness } }: Scene,
): Violation[] {
  const entries = [...ledger.entries.values()];
  return lives.flatMap((life) => {
    const subject = subjects[life.index]!;
    if (subject.kind !== "function" || life.page.isEnded) return [];
    const calls = entries.filter(
      ({ kind, subject: index, items }) =>
        kind === "predict" && index === life.index && witness.isAskedOnce(items[0]!.id),
    );
    const isPlain = subject.functions === undefined && !("maxLatencyMs" in life.options);
    return [...checkRoom(calls, life), ...checkKeys(calls, life), ...(isPlain ? checkOrder(calls, life) : [])];
  });
}

function checkRoom(calls: readonly Entry[], life: Life): Violation[] {
  const most = life.options["maxQueueSize"];
  if (typeof most !== "number") return [];
  return calls.flatMap((call, index) => {
    if (isRefused(call, life)) return [];
    const waiting = calls.slice(0, index).filter((other) => isWaitingAt(call, other, life));
    return waiting.length < most
      ? []
      : [violation(`call ${call.call} waits behind ${waiting.length}, and ${most} may wait`)];
  });
}

function checkKeys(calls: readonly Entry[], life: Life): Violation[] {
  return calls.flatMap((call, index) => {
    const { key } = call.options;
    const older = calls
      .slice(0, index)
      .find(({ options, ...other }) => key !== undefined && options.key === key && isWaitingAt(call, other, life));
    if (older === undefined) return [];
    const mayBeRefused = "maxLatencyMs" in life.options || codeIn(call.outcome) !== "OVERLOADED";
    if (isRefused(call, life) && mayBeRefused) return [];
    return [violation(`call ${older.call} waits beside call ${call.call}, which has its key and could take its place`)];
  });
}

function checkOrder(calls: readonly Entry[], life: Life): Violation[] {
  const places = placesOf(calls, life);
  const runOf = ({ items }: Entry) => life.runs.begun.get(items[0]!.id)?.runs ?? Infinity;
  const judged = calls.filter(({ options }) => options.timeoutMs === undefined);
  return judged.flatMap((call) => {
    const earlier = judged.find(
      (other) =>
        rankOf(other.options) === rankOf(call.options) &&
        places.get(other)! < places.get(call)! &&
        runOf(other) < Infinity &&
        runOf(other) > runOf(call),
    );
    return earlier === undefined
      ? []
      : [violation(`call ${call.call} began before call ${earlier.call}, which is as urgent`)];
  });
}

/**
 * Returns the place of each call in the order of their making, or that of the one whose place it has taken with its key: the last
 * one before it that has lost its place to no other.
 */
function placesOf(calls: readonly Entry[], life: Life): ReadonlyMap<Entry, number> {
  const places = new Map<Entry, number>();
  const taken = new Set<Entry>();
  for (const [index, call] of calls.entries()) {
    const replaced = calls
      .slice(0, index)
      .filter((other) => !taken.has(other) && !isRefused(call, life))
      .findLast(
        ({ options, outcome, settledAtMs }) =>
          options.key !== undefined &&
          options.key === call.options.key &&
          codeIn(outcome) === "SUPERSEDED" &&
          settledAtMs === call.askedAtMs,
      );
    if (replaced !== undefined) taken.add(replaced);
    const isAsUrgent = replaced !== undefined && rankOf(replaced.options) === rankOf(call.options);
    places.set(call, isAsUrgent ? places.get(replaced)! : index);
  }
  return places;
}

/** Whether a call waits in the queue when another one is made, and does so before and after that. */
function isWaitingAt(
  { askedAtMs: atMs }: Entry,
  { askedAtMs, settledAtMs, abortedAtMs, items }: Omit<Entry, "options">,
  { runs }: Life,
): boolean {
  const begunAtMs = runs.begun.get(items[0]!.id)?.atMs ?? Infinity;
  return askedAtMs < atMs && Math.min(begunAtMs, settledAtMs ?? Infinity, abortedAtMs ?? Infinity) > atMs;
}

/** Whether a call was never in the queue. One whose place was taken at once was, and one that has begun before it was aborted. */
function isRefused({ outcome, askedAtMs, settledAtMs, items }: Entry, { runs }: Life): boolean {
  const isAtOnce = outcome !== null && "error" in outcome && settledAtMs === askedAtMs;
  return isAtOnce && codeIn(outcome) !== "SUPERSEDED" && !runs.begun.has(items[0]!.id);
}

function violation(what: string): Violation {
  return { rule: "queues", what };
}
