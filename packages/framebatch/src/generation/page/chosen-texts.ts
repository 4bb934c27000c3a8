import type { QueuedText } from "./page-text.js";

/** How many texts may run at the same time. */
export interface TextLimits {
  readonly maxTexts: number;
  /** Size of the cache of one token, in bytes. */
  readonly bytesPerToken: number;
  readonly maxCacheBytes: number;
}

type Sized = Pick<QueuedText, "rank" | "prompt"> & { readonly sent: Pick<QueuedText["sent"], "id" | "maxNewTokens"> };

/** Returns the greatest length of a text, in tokens. */
export function longestOf({ prompt, sent }: Sized): number {
  return prompt.length + sent.maxNewTokens;
}

/**
 * Chooses the texts that run next: the most urgent ones; of equal ones, those that run, and then the oldest. One that does not fit
 * keeps later ones waiting, so that it comes to its turn. The caches of all are as long as the longest may become.
 * @param texts in the order of their calls
 * @param isRunning whether a text runs: leaving its place costs it its cache
 */
export function chooseTexts<Text extends Sized>(
  texts: readonly Text[],
  isRunning: (text: Text) => boolean,
  { maxTexts, bytesPerToken, maxCacheBytes }: TextLimits,
): readonly Text[] {
  const order = texts.toSorted(
    (one, other) =>
      one.rank - other.rank || Number(isRunning(other)) - Number(isRunning(one)) || one.sent.id - other.sent.id,
  );
  const chosen: Text[] = [];
  let longest = 0;
  for (const text of order.slice(0, maxTexts)) {
    longest = Math.max(longest, longestOf(text));
    if ((chosen.length + 1) * longest * bytesPerToken > maxCacheBytes) break;
    chosen.push(text);
  }
  return chosen;
}
