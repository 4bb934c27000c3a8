import { isDecoder, type ModelName, MODELS } from "../runtime/models.js";
import type { TextRun } from "../runtime/fates.js";
import type { Callable } from "../program/callable.js";
import type { Entry, Outcome } from "../program/ledger.js";
import { endedAtMs, type Life, type Play } from "../program/play.js";
import { rankOf } from "../program/priority.js";
import type { Scenario, Step } from "../program/scenario.js";
import type { Scene } from "../program/stagehand.js";
import { textAlone, type WholeText } from "../program/text-alone.js";
import type { TextLog } from "../program/text-log.js";
import { isTooLarge } from "../program/texts.js";
import type { Violation } from "./violation.js";

/** A text, its call, and what it would be alone. */
interface Judged {
  readonly entry: Entry;
  readonly log: TextLog;
  readonly alone: WholeText;
  readonly life: Life;
  readonly model: ModelName;
}

/**
 * Each text has the tokens that it would have alone, each once, however its model pads, joins and loses what it has, and ends once.
 * Where nothing is disturbed, it ends in time, the most urgent ones and then the oldest have the places, and one that has ended does
 * not run on. At rest, a model counts no text and keeps no caches.
 */
export function checkTexts({ ledger, lives }: Play, scenario: Scenario, { origin }: Scene): Violation[] {
  const { texts } = origin.witness;
  if (texts.length === 0) return [];
  const logs = new Map(texts.map((log) => [log.item.id, log]));
  const judged = [...ledger.entries.values()].flatMap((entry) => {
    const log = logs.get(entry.items[0]?.id ?? -1);
    const life = lives[entry.subject]!;
    return log === undefined
      ? []
      : [{ entry, log, alone: textAlone(log.item), life, model: modelOf(entry, life, scenario) }];
  });
  const { textRuns } = origin.fates;
  const isCalm = scenario.faults.length === 0 && !scenario.steps.some(isDisturbing);
  return [
    ...judged.flatMap((text) => [...checkTokens(text), ...checkResult(text)]),
    ...checkReplaced(judged),
    ...lives.flatMap((life) => checkRest(life, ledger.open.get(life.index)?.size ?? 0)),
    ...checkCaches(judged, textRuns),
    ...(isCalm ? checkPlaces(judged, textRuns, scenario) : []),
    ...(isCalm ? judged.flatMap(checkSharing) : []),
  ];
}

function modelOf({ part }: Entry, { index }: Life, { subjects }: Scenario): ModelName {
  const subject = subjects[index]!;
  const name =
    subject.kind === "group" ? namesOf(subject.models)[part ?? 0] : subject.kind === "texts" ? subject.model : "";
  return name !== undefined && isDecoder(name) ? name : "leftward";
}

/** Returns the names of the parts of a group. */
function namesOf(models: readonly { readonly model: string; readonly sequences: readonly unknown[] }[]): string[] {
  return models.flatMap(({ model, sequences }) => [model, ...sequences.map(() => "")]);
}

/** What holds texts up, or costs them their places. */
function isDisturbing(step: Step): boolean {
  if ("items" in step) return step.items.some(({ poison }) => poison !== undefined);
  return ["busy", "hide", "freeze", "crash", "restart"].includes(step.do);
}

/** Each token is that of the text alone. What has failed may lack some at its end. */
function checkTokens({ entry, log, alone }: Judged): Violation[] {
  const { kind, outcome, received, call } = entry;
  const value = valueIn(kind === "stream" ? log.outcome : outcome);
  const got: readonly unknown[] = kind === "stream" ? received : (value?.tokens ?? []);
  const isWhole = outcome !== null && "value" in outcome && entry.take > got.length;
  if (got.some((token, index) => token !== alone.tokens[index]) || (isWhole && got.length < alone.tokens.length))
    return [violation(`call ${call} has the tokens ${got.join()}, and alone ${alone.tokens.join()}`)];
  if (value !== null && value.reason !== alone.reason)
    return [violation(`call ${call} has ended with "${value.reason}", and alone with "${alone.reason}"`)];
  return outcome !== null && "value" in outcome && isTooLarge(log) && entry.take > 0
    ? [violation(`call ${call} was answered, and would never fit`)]
    : [];
}

/** The result of a text whose tokens were read is theirs, or what their loop has thrown; and whoever leaves the loop ends the text. */
function checkResult({ entry, log, alone, life }: Judged): Violation[] {
  const { outcome, received, take, call } = entry;
  if (life.page.isEnded || entry.kind !== "stream" || outcome === null || take === 0) return [];
  const value = valueIn(log.outcome);
  if (log.settlements !== 1) return [violation(`the result of call ${call} has settled ${log.settlements} times`)];
  if ("error" in outcome) {
    const error = log.outcome !== null && "error" in log.outcome ? log.outcome.error : null;
    return error === outcome.error ? [] : [violation(`the result of call ${call} is not what its loop has thrown`)];
  }
  if (value === null)
    return received.length >= take ? [] : [violation(`call ${call} has all tokens, and its result is an error`)];
  return value.tokens.join() === alone.tokens.join() ? [] : [violation(`the result of call ${call} lacks tokens`)];
}

function valueIn(outcome: Outcome | null): WholeText | null {
  return outcome !== null && "value" in outcome ? Object(outcome.value) : null;
}

/** A text whose key a newer one has is over once that one has a place or waits for one. */
function checkReplaced(judged: readonly Judged[]): Violation[] {
  return judged.flatMap(({ entry: newer, life, model }) => {
    const isRefused = newer.outcome !== null && "error" in newer.outcome && newer.settledAtMs === newer.askedAtMs;
    if (newer.options.key === undefined || isRefused || newer.abortedAtMs === newer.askedAtMs) return [];
    const older = judged.find(
      ({ entry, ...other }) =>
        other.life === life &&
        other.model === model &&
        entry.part === newer.part &&
        entry.options.key === newer.options.key &&
        entry.call !== newer.call &&
        entry.askedAtMs < newer.askedAtMs &&
        (entry.settledAtMs ?? Infinity) > newer.askedAtMs,
    );
    return older === undefined || life.page.isEnded
      ? []
      : [violation(`call ${older.entry.call} goes on beside call ${newer.call}, which has its key`)];
  });
}

/** Without open calls, no text counts as open, and none has caches. */
function checkRest({ callable, parts, page, disposedAtMs, endedParts, index }: Life, open: number): Violation[] {
  if (open > 0 || page.isEnded || page.isFrozen || disposedAtMs !== null || callable === null) return [];
  const ofParts = parts.flatMap(({ isDecoder: isOne }, part) =>
    isOne && !endedParts.has(part) ? (callable.parts?.[part] ?? []) : [],
  );
  return [callable, ...ofParts].flatMap((one) => {
    const generation = generationOf(one);
    if (generation === null || one.state !== "ready") return [];
    const { running, waiting, cacheBytes } = generation;
    return running === 0 && waiting === 0 && cacheBytes === 0
      ? []
      : [
          violation(
            `subject ${index} counts ${running} running and ${waiting} waiting texts at rest, and ${cacheBytes} bytes`,
          ),
        ];
  });
}

/** What is measured is true. */
function checkSharing({ entry: { part }, life, model }: Judged): Violation[] {
  const { callable, page, disposedAtMs } = life;
  if (callable === null || page.isEnded || disposedAtMs !== null) return [];
  const one = part === null ? callable : callable.parts?.[part];
  const sharing = one === null || one === undefined || one.state !== "ready" ? null : generationOf(one)?.sharing;
  const { decoder, mixesFrom } = MODELS[model];
  const padding = decoder!.padding === "none" ? "equal" : decoder!.padding;
  const expected = mixesFrom === null ? padding : "alone";
  if (sharing === null || sharing === undefined || sharing === expected) return [];
  return [violation(`the texts of ${model} share steps as "${sharing}", not "${expected}"`)];
}

interface Generation {
  readonly sharing: string | null;
  readonly running: number;
  readonly waiting: number;
  readonly cacheBytes: number;
}

function generationOf(callable: Callable): Generation | null {
  return Reflect.get(Object(callable.stats()), "generation") ?? null;
}

/** The caches of a run have no more than the caller allows. */
function checkCaches(judged: readonly Judged[], runs: readonly TextRun[]): Violation[] {
  return runs.flatMap(({ ids, cacheBytes, atMs }) => {
    const text = judged.find(({ log }) => ids.includes(log.item.id));
    return text === undefined || cacheBytes <= text.log.maxCacheBytes
      ? []
      : [violation(`the caches of a run at ${atMs} have ${cacheBytes} bytes, of ${text.log.maxCacheBytes}`)];
  });
}

/** How long a run of texts goes on before the page hears of it: `SLICE_MS`. */
const SLICE_MS = 8;
/** Runs of texts that are under way at the same time. */
const UNDER_WAY = 2;
/** Time of messages and tasks, in milliseconds. */
const SLACK_MS = 30;
/** Runs in which it is measured which texts share a step, at most. */
const MEASURING_RUNS = 60;
/** The least number of tokens in a piece of a prompt: `LEAST` in `piece-size.ts`. */
const LEAST_PIECE = 8;
/** How many times as much as alone a text may take: those that give up their places begin again. */
const AGAIN = 3;

/** Judged where nothing else happens to texts. */
function checkPlaces(judged: readonly Judged[], runs: readonly TextRun[], { baseMs, rowMs }: Scenario): Violation[] {
  const rows = Math.max(1, judged.length);
  const longest = Math.max(0, ...judged.map(({ log }) => log.item.text!.length));
  const runMs = baseMs + rowMs * Math.max(rows, longest) + 1;
  const roundMs = (rows + 1) * runMs;
  const noticeMs = UNDER_WAY * (SLICE_MS + roundMs) + SLACK_MS;
  return judged.flatMap((text) => [
    ...checkGone(text, runs, noticeMs),
    ...checkUrgency(text, judged, runs, noticeMs),
    ...checkOrder(text, judged, runs),
    ...checkTime(text, judged, { baseMs, rowMs }),
  ]);
}

/** A text that has ended does not run on. */
function checkGone({ entry, log, life }: Judged, runs: readonly TextRun[], noticeMs: number): Violation[] {
  const overAtMs = Math.min(entry.settledAtMs ?? Infinity, endedAtMs(entry, life) ?? Infinity) + noticeMs;
  const late = runs.find(({ ids, atMs }) => atMs > overAtMs && ids.includes(log.item.id));
  return late === undefined
    ? []
    : [violation(`call ${entry.call} settled at ${entry.settledAtMs}, and runs at ${late.atMs}`)];
}

/** While a text waits for its first run, no text that is less urgent runs. Not where only those that begin together share steps. */
function checkUrgency(
  { entry, log, life, model }: Judged,
  judged: readonly Judged[],
  runs: readonly TextRun[],
  noticeMs: number,
): Violation[] {
  if (MODELS[model].decoder!.padding === "none" || log.isKept) return [];
  const own = runs.filter((run) => run.model === model);
  const firstMs = own.find(({ ids }) => ids.includes(log.item.id))?.atMs ?? entry.settledAtMs ?? Infinity;
  const measuredMs = own.findLast(({ ids, atMs }) => ids.includes(null) && atMs < firstMs)?.atMs ?? 0;
  const fromMs = Math.max(entry.askedAtMs, measuredMs, life.opened.untilMs) + noticeMs;
  const lessUrgent = judged.filter(
    (other) =>
      other.life === life && other.entry.part === entry.part && rankOf(other.entry.options) > rankOf(entry.options),
  );
  const wrong = own.find(
    ({ ids, atMs }) => atMs > fromMs && atMs < firstMs && lessUrgent.some((other) => ids.includes(other.log.item.id)),
  );
  return wrong === undefined ? [] : [violation(`call ${entry.call} waits, and texts less urgent run at ${wrong.atMs}`)];
}

/** Of texts that are as urgent, the one that was asked for first runs first. A later one may share the first run of one before both. */
function checkOrder({ entry, log, life }: Judged, judged: readonly Judged[], runs: readonly TextRun[]): Violation[] {
  const firstOf = (id: number) => runs.findIndex(({ ids }) => ids.includes(id));
  const own = firstOf(log.item.id);
  const mayJoin = (run: number) =>
    judged.some((other) => firstOf(other.log.item.id) === run && other.entry.askedAtMs < entry.askedAtMs);
  if (own < 0 || log.isKept) return [];
  const later = judged.find(
    (other) =>
      other.life === life &&
      other.entry.part === entry.part &&
      other.entry.askedAtMs > entry.askedAtMs &&
      rankOf(other.entry.options) === rankOf(entry.options) &&
      firstOf(other.log.item.id) >= 0 &&
      firstOf(other.log.item.id) < own &&
      !mayJoin(firstOf(other.log.item.id)),
  );
  return later === undefined
    ? []
    : [violation(`call ${later.entry.call} runs before call ${entry.call}, which is as urgent`)];
}

/** A text ends within the time that all texts would take one after the other, some times. */
function checkTime(
  { entry, life }: Judged,
  judged: readonly Judged[],
  { baseMs, rowMs }: Pick<Scenario, "baseMs" | "rowMs">,
): Violation[] {
  const { settledAtMs, askedAtMs, call } = entry;
  if (life.page.isEnded || life.opening !== "open") return [];
  const workMs = judged.reduce((sum, { log }) => sum + timeOf(log, baseMs, rowMs), 0);
  const measuringMs = MEASURING_RUNS * judged.length * (baseMs + rowMs * LEAST_PIECE);
  const boundMs = AGAIN * workMs + measuringMs + SLACK_MS * judged.length;
  const sinceMs = Math.max(askedAtMs, life.opened.untilMs);
  return (settledAtMs ?? Infinity) - sinceMs <= boundMs
    ? []
    : [
        violation(
          `call ${call} was asked at ${askedAtMs} and settled at ${settledAtMs}, more than ${boundMs} ms later`,
        ),
      ];
}

/** The time of a text alone, its prompt in the smallest pieces. */
function timeOf({ item: { text } }: TextLog, baseMs: number, rowMs: number): number {
  const pieces = Math.ceil(text!.length / LEAST_PIECE) + text!.maxNewTokens;
  return pieces * baseMs + (text!.length + text!.maxNewTokens) * rowMs;
}

function violation(what: string): Violation {
  return { rule: "texts", what };
}
