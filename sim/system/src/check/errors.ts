import { codeOf } from "../logs/error-code.js";
import type { Entry, Ledger } from "../logs/ledger.js";
import { endedAtMs, type Life } from "../play/play.js";
import { PoisonError } from "../actors/function-runs.js";
import { SourceError } from "../actors/hostile-sources.js";
import { isFailingSource } from "../scenario/source-kinds.js";
import type { SequenceSpec } from "../scenario/kinds.js";
import type { FileServer } from "../actors/file-server.js";
import type { Fates } from "../runtime/fates.js";
import type { Poison } from "../runtime/models.js";
import type { Scenario, Subject } from "../scenario/scenario.js";
import { comesFrom } from "../scenario/thrown.js";
import type { Witness } from "../logs/witness.js";
import type { Violation } from "../logs/violation.js";

/** What is known when a call has failed. */
interface Case {
  readonly entry: Entry;
  readonly life: Life;
  readonly scenario: Scenario;
  readonly ledger: Ledger;
  readonly fates: Fates;
  readonly files: FileServer;
  readonly witness: Witness;
}

/** Whether an error may meet this call. One entry for each code: everything else is nobody's. */
const ALLOWED: Readonly<Record<string, (about: Case) => boolean>> = {
  TIMED_OUT: ({ entry: { options, askedAtMs, settledAtMs } }) =>
    options.timeoutMs !== undefined && (settledAtMs ?? 0) >= askedAtMs + options.timeoutMs - 1e-6,
  SUPERSEDED: ({ entry, ledger }) =>
    entry.options.key !== undefined &&
    [...ledger.entries.values()].some(
      (other) =>
        other.call !== entry.call &&
        other.subject === entry.subject &&
        other.options.key === entry.options.key &&
        other.askedAtMs >= entry.askedAtMs &&
        other.askedAtMs <= (entry.settledAtMs ?? 0),
    ),
  OVERLOADED: mayBeRefused,
  DISPOSED: ({ entry, life, witness }) =>
    ((life.kind === "hub" || life.kind === "group") && witness.hasDisposed) ||
    (endedAtMs(entry, life) ?? Infinity) <= (entry.settledAtMs ?? 0),
  // A step that runs again, to restore a state, meets the faults of its own run.
  SEQUENCE_LOST: ({ entry, life, scenario: { faults } }) =>
    sequenceOf(entry, life) !== null && faults.some(({ on, does }) => on === "run" && does !== "slow"),
  // A request whose time is half over leaves a server that is silent.
  REMOTE_UNREACHABLE: mayLeaveServer,
  // One whose time ends while the device loads, that ends workers, or that the device has no room for, is told what the server has
  // told others: to be left alone. So is one that waits for a device that loses its worker while it loads.
  REMOTE_STATUS: (about) =>
    asksForTime(about.entry) &&
    (mayLeaveServer(about) || isCulprit(about) || hasDeviceRefused(about) || mayHaveLostDevice(about)),
  // An item that a search has left as the only suspect fails without a run of its own.
  INFERENCE_FAILED: ({ entry, fates: { failedAlone, suspected } }) =>
    entry.items.some(({ id, poison }) => poison === "fail" || failedAlone.has(id) || suspected.has(id)),
  MODEL_INTEGRITY: mayBeOutdated,
  OUT_OF_MEMORY: ({ entry, fates: { failedAlone } }) => entry.items.some(({ id }) => failedAlone.has(id)),
  DEVICE_LOST: isCulprit,
  WORKER_LOAD_FAILED: ({ life, fates }) => isLoadingLate(life, fates),
  RUNTIME_LOAD_FAILED: ({ life, fates }) => isLoadingLate(life, fates),
  WORKER_CRASHED: isCulprit,
  WORKER_HUNG: isCulprit,
};

/** A hub tells the calls that wait that the version is gone for which they were accepted, and loads the new one for others. */
function mayBeOutdated({ entry, life, scenario, ledger }: Case): boolean {
  const subject = scenario.subjects[life.index]!;
  if (subject.kind !== "hub" || scenario.faults.every(({ does }) => does !== "deploy")) return false;
  const modelOf = ({ items }: Entry) => (items.at(-1)?.id ?? 0) % subject.models.length;
  const told = [...ledger.entries.values()].filter(
    (other) =>
      other.subject === entry.subject &&
      modelOf(other) === modelOf(entry) &&
      codeOf(errorIn(other)) === "MODEL_INTEGRITY",
  );
  return told.every(({ settledAtMs }) => (settledAtMs ?? Infinity) >= entry.askedAtMs);
}

/** Returns what the caller of a request was told at its root; `null` if it was not rejected. */
function errorIn({ outcome }: Entry): unknown {
  return outcome !== null && "error" in outcome ? rootOf(outcome.error) : null;
}

/** Whether a request to a server and a device has a time that may be too short for one of them. */
function mayLeaveServer({ entry, life, scenario }: Case): boolean {
  if (life.kind !== "hybrid") return false;
  return entry.options.timeoutMs !== undefined || limitsOf(scenario.subjects[life.index]!).latency;
}

function mayBeRefused({ entry, life, scenario }: Case): boolean {
  const { queue, latency, kept } = limitsOf(scenario.subjects[life.index]!);
  // A part of a stream waits for room at a stage.
  return latency || kept || (queue && !(life.kind === "pipeline" && entry.kind !== "predict"));
}

/** Whether the device has refused a request that its server had failed before. */
function hasDeviceRefused(about: Case): boolean {
  return mayBeRefused(about) && detailOf(about.entry, "otherCode") === "OVERLOADED";
}

function mayHaveLostDevice({ life, fates }: Case): boolean {
  return life.kind === "hybrid" && fates.fatal > 0;
}

function asksForTime(entry: Entry): boolean {
  return detailOf(entry, "retryAfterMs") !== undefined;
}

function detailOf(entry: Entry, name: string): unknown {
  return Reflect.get(Object(Reflect.get(Object(errorIn(entry)), "details")), name);
}

/** Returns which limits the queues of a subject, and of all that it consists of, have. */
function limitsOf(subject: Subject): Readonly<Record<"queue" | "latency" | "kept", boolean>> {
  const text = JSON.stringify(subject);
  return {
    // Links go through the page if there is no room, handles are refused.
    kept: text.includes('"maxKeptBytes"') && text.includes('"handles"'),
    queue: text.includes('"maxQueueSize"') || text.includes('"drop-oldest"'),
    latency: text.includes('"maxLatencyMs"'),
  };
}

/** Returns the options of the sequence that a call is a step of; `null` if it is none. */
function sequenceOf({ part }: Entry, { parts }: Life): SequenceSpec | null {
  return part === null ? null : (parts[part]?.sequence ?? null);
}

/** A model whose new workers fail too has failed; otherwise the item was alone in a run that ended its worker. */
function isCulprit({ entry, life, fates }: Case): boolean {
  if (life.states.includes("failed") || isLoadingLate(life, fates)) return true;
  // An item that fails on a server goes on to the device, and both may fail. A step that is restored twice is blamed for what its restoration meets.
  if (sequenceOf(entry, life) !== null && fates.fatal > 1) return true;
  const isFatal = (poison: Poison) => poison !== "fail" || life.kind === "hybrid";
  return entry.items.some(({ id, poison }) => (poison !== undefined && isFatal(poison)) || fates.failedAlone.has(id));
}

/** A hub loads its models for calls. A load that loses its worker fails. */
function isLoadingLate({ kind }: Life, { fatal }: Fates): boolean {
  return kind === "hub" && fatal > 0;
}

/** Nobody gets an error that is not the outcome of what happened to that call. */
export function checkErrors(about: Case): Violation[] {
  const { entry, life } = about;
  const { outcome, call, reason, abortedAtMs } = entry;
  if (outcome === null || !("error" in outcome)) return [];
  const { error } = outcome;
  if (hasMovedAway(about, error)) return [];
  if (error === reason) {
    if (abortedAtMs !== null) return [];
    return [{ rule: "errors", what: `call ${call} got the reason of its signal, which has not aborted` }];
  }
  const cause = rootOf(error);
  if (cause === reason && abortedAtMs !== null) return [];
  const { stuck, failedAlone } = life.runs;
  const mayFail = entry.items.some(({ id, poison }) => poison !== undefined || failedAlone.has(id) || stuck.has(id));
  if (cause instanceof PoisonError && mayFail) return [];
  const code = codeOf(cause) ?? codeOf(error);
  if (code !== null && ALLOWED[code]?.(about)) return [];
  if (isOfFile(about, code)) return [];
  if (isExcused(about, cause, code)) return [];
  return [{ rule: "errors", what: `call ${call} got ${code ?? ""} ${String(error)}, which is not its own` }];
}

/** A model that could not load its file again fails every call. */
function isOfFile({ life, files }: Case, code: string | null): boolean {
  return files.hasFailed && life.states.includes("failed") && code?.startsWith("MODEL_") === true;
}

/** An item that moved to a worker is lost with it: one for handlers, or a large one that no server may have to answer. */
function hasMovedAway({ entry, life, fates: { fatal } }: Case, error: unknown): boolean {
  const isLost = codeOf(rootOf(error)) === "WORKER_CRASHED";
  const mayMove =
    life.kind === "handled" ||
    life.kind === "engine" ||
    life.kind === "hub" ||
    entry.items.some(({ isLarge }) => isLarge);
  return isLost && mayMove && life.kind !== "hybrid" && entry.options.transfer === true && fatal > 0;
}

/** Whether code of the caller, or a server, has given a reason for the error. */
function isExcused(about: Case, error: unknown, code: string | null): boolean {
  const { entry, witness } = about;
  if (code?.startsWith("REMOTE_") && isCovered(about)) return false;
  const excuses = entry.items.flatMap(({ id }) => witness.excusesOf(id));
  if (excuses.some((excuse) => excuse === code || comesFrom(error, excuse))) return true;
  if (!isFailingSource(entry.source)) return false;
  return entry.source === "not-iterable" ? code === "INVALID_INPUT" : isOfSource(error);
}

/** Whether the device answers whatever the server fails: nothing is wrong with it, and it refuses nothing. */
function isCovered({ entry, life, scenario, fates }: Case): boolean {
  const subject = scenario.subjects[life.index]!;
  if (subject.kind !== "hybrid" || subject.remote["mode"] === "only-in-cloud") return false;
  const { queue, latency } = limitsOf(subject);
  // A device whose file arrives late answers later.
  const isDisturbed = fates.fatal > 0 || scenario.faults.some(({ does }) => does !== "slow");
  if (queue || latency || isDisturbed || entry.options.timeoutMs !== undefined) return false;
  return scenario.steps.every((step) => !("items" in step) || step.items.every(({ poison }) => poison === undefined));
}

function isOfSource(error: unknown): boolean {
  return error instanceof SourceError || error instanceof TypeError;
}

/** A list rejects with an error whose cause is that of its item. */
function rootOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const details: unknown = Reflect.get(error, "details");
  const isOfList = typeof details === "object" && details !== null && "index" in details;
  return isOfList && error.cause !== undefined ? error.cause : error;
}
