import { inputWords, streamOf, whyNeverAnswers } from "./later-code.js";

// No namespace, see `inputWords`.
const code = { inputWords, streamOf, whyNeverAnswers };

export type LaterCode = typeof code;

/** Returns what `loadLater` has loaded; `null` before it has. */
export function laterCode(): LaterCode | null {
  return code;
}

/** Returns the code that loads after the first answer. This build has it at once. */
export function loadLater(): Promise<LaterCode> {
  return Promise.resolve(code);
}
