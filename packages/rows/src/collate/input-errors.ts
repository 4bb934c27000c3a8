/**
 * The errors of items, each with its words. The modules for bundlers have another file in its place
 * (`framebatch/client/model/input-errors.ts`), whose errors get their words when these have loaded.
 */
export * from "./input-words.js";

/** Rejects with an error as soon as it has its words. */
export function rejectInWords(error: unknown, reject: (error: unknown) => void): void {
  reject(error);
}
