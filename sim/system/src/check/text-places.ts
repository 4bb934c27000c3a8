import type { Entry } from "../logs/ledger.js";
import { endedAtMs } from "../play/play.js";
import { rankOf } from "../scenario/priority.js";
import type { Scenario } from "../scenario/scenario.js";
import type { TextLog } from "../logs/text-log.js";
import type { TextRun } from "../runtime/fates.js";
import { MODELS } from "../runtime/models.js";
import type { JudgedText } from "./judged-text.js";
import type { Violation } from "../logs/violation.js";

/** How long a run of texts goes on before the page hears of it: `SLICE_MS`. */
const SLICE_MS = 8;
/** Runs of texts that are under way at the same time. */
const UNDER_WAY = 2;
/** Time of messages and tasks, in milliseconds. */
const SLACK_MS = 20;
/** The largest number of tokens of prompts in a run: `MOST` in `piece-size.ts`. */
const MOST_TOKENS = 512;
/** Runs in which it is measured which texts share a step, at most. */
const MEASURING_RUNS = 60;
/** The least number of tokens in a piece of a prompt: `LEAST` in `piece-size.ts`. */
const LEAST_PIECE = 8;
/** How many times as much as alone a text may take: those that give up their places begin again. */
const AGAIN = 3;

/** Judged where nothing else happens to texts; most of it where they have a worker of their own. */
export function checkPlaces(
  judged: readonly JudgedText[],
  runs: readonly TextRun[],
  { baseMs, rowMs, subjects }: Scenario,
): Violation[] {
  const prompts = judged.reduce((sum, { log }) => sum + log.item.text!.length, 0);
  const runMs = 1 + baseMs + rowMs * Math.max(judged.length, Math.min(prompts, MOST_TOKENS));
  return judged.flatMap((text) => {
    const order = checkOrder(text, judged, runs);
    if (text.life.kind !== "texts" || isComparedLater(text, subjects)) return order;
    const noticeMs = UNDER_WAY * (SLICE_MS + runsOfRound(text, judged.length) * runMs) + SLACK_MS;
    return [
      ...order,
      ...checkGone(text, runs, noticeMs),
      ...checkUrgency(text, judged, runs, noticeMs),
      ...checkTime(text, judged, { baseMs, rowMs }),
    ];
  });
}

/** Whether WebAssembly runs texts once more to check a GPU, when they may have ended. */
function isComparedLater({ life }: JudgedText, subjects: Scenario["subjects"]): boolean {
  const subject = JSON.stringify(subjects[life.index]);
  return subject.includes('"webgpu"') && !subject.includes('"verify":false');
}

/** One that measures, one of a prompt, and a step: of each text, where they may share none. */
function runsOfRound({ model, log }: JudgedText, texts: number): number {
  const { decoder, mixesFrom } = MODELS[model];
  const shares = decoder!.padding !== "none" && mixesFrom === null && log.item.text!.given === undefined;
  return shares ? 3 : 2 + texts;
}

/** A text that has ended does not run on. */
function checkGone({ entry, log, life }: JudgedText, runs: readonly TextRun[], noticeMs: number): Violation[] {
  const overAtMs = Math.min(entry.settledAtMs ?? Infinity, endedAtMs(entry, life) ?? Infinity) + noticeMs;
  const late = runs.find(({ ids, atMs }) => atMs > overAtMs && ids.includes(log.item.id));
  return late === undefined
    ? []
    : [violation(`call ${entry.call} settled at ${entry.settledAtMs}, and runs at ${late.atMs}`)];
}

/** While a text waits for its first run, no text that is less urgent runs. Not where only those that begin together share steps. */
function checkUrgency(
  { entry, log, life, model }: JudgedText,
  judged: readonly JudgedText[],
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

/** Of texts that are as urgent, the one that was asked for first runs first. A later one may share the first run of one that comes before both. */
function checkOrder(
  { entry, log, life }: JudgedText,
  judged: readonly JudgedText[],
  runs: readonly TextRun[],
): Violation[] {
  const firstOf = (id: number) => runs.findIndex(({ ids }) => ids.includes(id));
  const own = firstOf(log.item.id);
  const rank = rankOf(entry.options);
  const isBefore = (other: Entry) =>
    rankOf(other.options) < rank || (rankOf(other.options) === rank && other.askedInTask < entry.askedInTask);
  const mayJoin = (run: number) => judged.some((other) => firstOf(other.log.item.id) === run && isBefore(other.entry));
  if (own < 0 || log.isKept) return [];
  const later = judged.find(
    (other) =>
      other.life === life &&
      other.entry.part === entry.part &&
      other.entry.askedInTask > entry.askedInTask &&
      rankOf(other.entry.options) === rank &&
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
  { entry, life }: JudgedText,
  judged: readonly JudgedText[],
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

/** The time of a text alone, its prompt in the smallest pieces, and of its loop. */
function timeOf({ item: { text } }: TextLog, baseMs: number, rowMs: number): number {
  const pieces = Math.ceil(text!.length / LEAST_PIECE) + text!.maxNewTokens;
  return text!.maxNewTokens * (text!.readMs ?? 0) + pieces * baseMs + (text!.length + text!.maxNewTokens) * rowMs;
}

function violation(what: string): Violation {
  return { rule: "texts", what };
}
