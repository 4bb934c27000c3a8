import { MODELS } from "../runtime/models.js";
import type { TextRun } from "../runtime/fates.js";
import type { Callable } from "../actors/callable.js";
import type { Outcome } from "../logs/ledger.js";
import type { Life, Play } from "../play/play.js";
import type { Scenario, Step } from "../scenario/scenario.js";
import type { Scene } from "../play/stagehand.js";
import type { WholeText } from "../runtime/text-alone.js";
import { isTooLarge } from "../actors/texts.js";
import { type JudgedText, judgeTexts } from "./judged-text.js";
import { checkPlaces } from "./text-places.js";
import { noticeMsOf } from "./aborts.js";
import type { Violation } from "../logs/violation.js";

/**
 * Each text has the tokens that it would have alone, each once, however its model pads, joins and loses what it has, and ends once.
 * Where nothing is disturbed, it ends in time, the most urgent ones and then the oldest have the places, and one that has ended does
 * not run on. At rest, a model counts no text and keeps no caches.
 */
export function checkTexts({ ledger, lives }: Play, scenario: Scenario, { origin }: Scene): Violation[] {
  const { texts } = origin.witness;
  if (texts.length === 0) return [];
  const judged = judgeTexts(ledger, lives, scenario, texts);
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

/** What holds texts up, or costs them their places. */
function isDisturbing(step: Step): boolean {
  if ("items" in step) return step.items.some(({ poison }) => poison !== undefined);
  return ["busy", "hide", "freeze", "crash", "restart"].includes(step.do);
}

/** Each token is that of the text alone. What has failed may lack some at its end. */
function checkTokens({ entry, log, alone }: JudgedText): Violation[] {
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

/**
 * The result of a text whose tokens were read has these tokens, or is the error that the loop has thrown, unless an abort
 * has ended a loop that still read a text that had ended. Leaving the loop ends the text.
 */
function checkResult({ entry, log, alone, life }: JudgedText): Violation[] {
  const { outcome, received, take, call } = entry;
  if (life.page.isEnded || entry.kind !== "stream" || outcome === null || take === 0) return [];
  const value = valueIn(log.outcome);
  if (log.settlements !== 1) return [violation(`the result of call ${call} has settled ${log.settlements} times`)];
  if ("error" in outcome) {
    const error = log.outcome !== null && "error" in log.outcome ? log.outcome.error : null;
    return error === outcome.error || entry.abortedAtMs !== null
      ? []
      : [violation(`the result of call ${call} is not what its loop has thrown`)];
  }
  // What the page has already ends as it would have.
  const isLeft = received.length >= take && take < alone.tokens.length;
  if (value !== null && isLeft && (log.settledAtMs ?? 0) > (entry.settledAtMs ?? 0))
    return [violation(`call ${call} goes on after its loop was left`)];
  if (value === null)
    return received.length >= take ? [] : [violation(`call ${call} has all tokens, and its result is an error`)];
  return value.tokens.join() === alone.tokens.join() ? [] : [violation(`the result of call ${call} lacks tokens`)];
}

function valueIn(outcome: Outcome | null): WholeText | null {
  return outcome !== null && "value" in outcome ? Object(outcome.value) : null;
}

/** A text whose key a newer one has is over once that one has a place or waits for one. */
function checkReplaced(judged: readonly JudgedText[]): Violation[] {
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
        (entry.settledAtMs ?? Infinity) - noticeMsOf(entry) > newer.askedAtMs,
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
function checkSharing({ entry: { part }, life, model }: JudgedText): Violation[] {
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
function checkCaches(judged: readonly JudgedText[], runs: readonly TextRun[]): Violation[] {
  return runs.flatMap(({ ids, cacheBytes, atMs }) => {
    const text = judged.find(({ log }) => ids.includes(log.item.id));
    return text === undefined || cacheBytes <= text.log.maxCacheBytes
      ? []
      : [violation(`the caches of a run at ${atMs} have ${cacheBytes} bytes, of ${text.log.maxCacheBytes}`)];
  });
}

function violation(what: string): Violation {
  return { rule: "texts", what };
}
