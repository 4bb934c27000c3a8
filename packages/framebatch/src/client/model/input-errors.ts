import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { after } from "@framebatch/host/host-timer.js";
import { isOffline } from "@framebatch/host/page.js";
import { describePlan, type InputPlan, refuseInput } from "@framebatch/rows/collate/input-plan.js";
import { laterCode, type LaterCode, loadLater } from "./load-later.js";

/**
 * Takes the place of `rows/collate/input-errors.ts` in the modules for bundlers: errors whose words load after the
 * first answer, or at the first error. An error has its code and a short text from the start.
 */

/** The longest that an error waits for its words, in milliseconds. */
const PATIENCE_MS = 1000;

const FIX = "see the full text where this page has a network";

type Words = LaterCode["inputWords"];
type InWords = (words: Words) => FramebatchError;

/** How the errors that have a short text get their words. */
const short = new WeakMap<object, InWords>();

export const refuseItem: Words["refuseItem"] = (...args) => ofItem((words) => words.refuseItem(...args));
export const refuseUnreadable: Words["refuseUnreadable"] = (cause) =>
  ofItem((words) => words.refuseUnreadable(cause), { cause });
export const refuseUnknownName: Words["refuseUnknownName"] = (plans, name) =>
  ofItem((words) => words.refuseUnknownName(plans, name), { details: { input: name } });

export const refuseMissing: Words["refuseMissing"] = ofInput((words) => words.refuseMissing);
export const refuseNoTensor: Words["refuseNoTensor"] = ofInput((words) => words.refuseNoTensor);
export const refuseType: Words["refuseType"] = ofInput((words) => words.refuseType);
export const refuseDims: Words["refuseDims"] = ofInput((words) => words.refuseDims);
export const refuseUnknownDims: Words["refuseUnknownDims"] = ofInput((words) => words.refuseUnknownDims);
export const refuseLength: Words["refuseLength"] = ofInput((words) => words.refuseLength);
export const refuseElement: Words["refuseElement"] = ofInput((words) => words.refuseElement);
export const refuseText: Words["refuseText"] = ofInput((words) => words.refuseText);
export const refuseArrayClass: Words["refuseArrayClass"] = ofInput((words) => words.refuseArrayClass);
export const refuseDisagreement: Words["refuseDisagreement"] = ofInput((words) => words.refuseDisagreement);
export const refuseTooLong: Words["refuseTooLong"] = ofInput((words) => words.refuseTooLong);

function ofItem(inWords: InWords, options?: ConstructorParameters<typeof FramebatchError>[2]): FramebatchError {
  const text = `item: expected inputs that the model takes, got others; ${FIX}`;
  return withWords(() => new FramebatchError("INVALID_INPUT", text, options), inWords);
}

function ofInput<More extends readonly unknown[]>(
  inWords: (words: Words) => (plan: InputPlan, ...more: More) => FramebatchError,
) {
  return (plan: InputPlan, ...more: More): FramebatchError => {
    const inShort = () => refuseInput(plan, describePlan(plan), "something else", FIX);
    return withWords(inShort, (words) => inWords(words)(plan, ...more));
  };
}

/** Returns the error in its words, or else with a short text. */
function withWords(inShort: () => FramebatchError, inWords: InWords): FramebatchError {
  const code = laterCode();
  if (code !== null) return inWords(code.inputWords);
  const error = inShort();
  short.set(error, inWords);
  return error;
}

/**
 * Rejects with an error as soon as it has its words: it, or the one that it places in a list. Rejects with the short
 * text when these cannot be loaded.
 */
export function rejectInWords(thrown: unknown, reject: (error: unknown) => void): void {
  const own = [thrown, thrown instanceof Error ? thrown.cause : null].find(isShort);
  const inWords = own && short.get(own);
  if (own === undefined || inWords === undefined || isOffline()) return reject(thrown);
  void reword(thrown, own, inWords).finally(() => reject(thrown));
}

function isShort(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && short.has(error);
}

/** Replaces the text of an error, also where another one quotes it, unless its words do not come in time. */
async function reword(error: unknown, own: FramebatchError, inWords: InWords): Promise<void> {
  const code = await inTime(loadLater());
  if (code === null) return;
  const { message } = own;
  const text = inWords(code.inputWords).message;
  for (const one of new Set([error, own])) {
    if (!(one instanceof Error)) continue;
    const { stack } = one;
    one.message = one.message.replace(message, () => text);
    // A stack begins with the text in some browsers.
    if (stack !== undefined) one.stack = stack.replace(message, () => text);
  }
}

/** Returns the code, or `null` if it cannot be loaded in time. */
async function inTime(loading: Promise<LaterCode>): Promise<LaterCode | null> {
  let stop = () => {};
  const late = new Promise<null>((resolve) => (stop = after(PATIENCE_MS, () => resolve(null))));
  try {
    return await Promise.race([loading, late]);
  } catch {
    return null;
  } finally {
    stop();
  }
}
