import type { Life, Play } from "../play/play.js";
import type { Scenario, Step } from "../scenario/scenario.js";
import type { Scene } from "../play/stagehand.js";
import type { Fates } from "../runtime/fates.js";
import { codeOf } from "../logs/error-code.js";
import { shownIn } from "./shown.js";
import type { Violation } from "../logs/violation.js";

/** A model opens, unless its page has ended or its start was disturbed. */
export function checkOpening({ lives }: Play, scenario: Scenario, { origin }: Scene): Violation[] {
  const present = lives.filter(({ page }) => !page.isEnded);
  const failed = present.filter(({ opening }) => opening === "failed");
  const broken = [
    ...present.flatMap((life) => checkEnd(life, scenario, origin.fates)),
    ...failed.flatMap(({ index, error }) => shownIn(error, `the opening of ${index}`)),
    ...failed.flatMap((life) => checkVersion(life, scenario)),
  ];
  if (mayFail(scenario) || broken.length > 0) return broken;
  const unexpected = failed.filter(({ index }) => !origin.witness.refused.has(index));
  return unexpected.map(({ index, error }) => violation(`subject ${index} did not open: ${String(error)}`));
}

/** What may fail an opening, of all that happens at a time. */
const FATAL: readonly string[] = ["kill", "lose GPU", "deploy", "change files"];

/** What passes, of all that happens to a request: it is tried three times. */
const PASSING: readonly string[] = ["slow", "trickle", "cut", "429", "503"];
const MAX_TRIES = 3;

function mayFail({ faults }: Scenario): boolean {
  const requests = faults.filter(({ on }) => on === "request");
  const passes = requests.length < MAX_TRIES && requests.every(({ does }) => PASSING.includes(does));
  return !passes || faults.some(({ on, does }) => on === "run" || (on === "time" && FATAL.includes(does)));
}

/** Time in which a model opens if nothing disturbs it, in milliseconds: less than any of its timeouts. */
const OPENS_IN_MS = 30_000;

/** Time of a download that trickles, in milliseconds. */
const TRICKLE_MS = 100_000;

/**
 * Time after which a page replaces a shared worker that has started and says nothing, in milliseconds, and a tick. A page that
 * opens waits so long for one only: another one that it loses is followed by a worker of its own.
 */
const UNWATCHED_MS = 100_000;

/** Time after which a page misses a worker whose end it cannot have heard of, in milliseconds: that of a first run. */
const MISSED_MS = 60_000;

/** `stallTimeoutMs`: for so long a worker waits for another one that has the download of its file in hand, and says nothing. */
const DOWNLOAD_MS = 30_000;

/** Opening ends, with a code if it fails, and soon if nothing holds it up. */
function checkEnd({ opening, opened, page, index, error }: Life, scenario: Scenario, fates: Fates): Violation[] {
  if (opening === "pending" && !page.isFrozen) return [violation(`subject ${index} never opened`)];
  if (opening === "failed" && codeOf(error) === null)
    return [violation(`subject ${index} failed with ${String(error)}`)];
  const ms = opened.untilMs - opened.fromMs;
  const isLate = opening === "open" && ms > OPENS_IN_MS + holdUpMs(scenario) + MISSED_MS * fates.silenced;
  return isLate ? [violation(`subject ${index} took ${ms} ms to open`)] : [];
}

/**
 * Returns for how long something holds up an opening, in milliseconds. Tabs that share a session wait for one download,
 * and for a worker that hangs: for its timeouts, or for its silence if its model has been disposed of. A worker that hangs while it
 * stores its file holds up those that want the same file.
 */
function holdUpMs({ faults, steps, subjects }: Scenario): number {
  if (steps.some(({ do: what }) => ["busy", "hide", "freeze", "crash"].includes(what))) return Infinity;
  const sessions = new Set(subjects.map(({ options }) => ("shared" in options ? JSON.stringify(options) : null)));
  const isOneSession = sessions.size === 1 && !sessions.has(null);
  const areShared = subjects.some(({ options }) => "shared" in options);
  if (faults.length === 0) return steps.some(isHanging) ? (areShared ? UNWATCHED_MS : DOWNLOAD_MS) : 0;
  return isOneSession && faults.every(({ does }) => does === "trickle") ? TRICKLE_MS : Infinity;
}

function isHanging(step: Step): boolean {
  return "items" in step && step.items.some(({ poison }) => poison === "hang");
}

/** Who asks for a model after the last deployment, and for no version, gets that one. */
function checkVersion({ index, error, options, opened }: Life, { faults }: Scenario): Violation[] {
  const deployments = faults.flatMap((fault) => (fault.on === "time" && fault.does === "deploy" ? [fault.atMs] : []));
  const isLast = deployments.every((atMs) => atMs < opened.fromMs);
  const isOwn = "pin" in options || "picked" in options;
  if (codeOf(error) !== "MODEL_INTEGRITY" || isOwn || !isLast) return [];
  return [violation(`subject ${index} was opened after all deployments, and got ${String(error)}`)];
}

function violation(what: string): Violation {
  return { rule: "opening", what };
}
