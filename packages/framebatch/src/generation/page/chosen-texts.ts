import type { QueuedText } from "./page-text.js";

/** How many texts may run at the same time. */
export interface TextLimits {
  readonly maxTexts: number;
  /** Size of the cache of one token, in bytes. */
  readonly bytesPerToken: number;
  /** The same of a position of what an encoder has returned. */
  readonly bytesPerGiven: number;
  readonly maxCacheBytes: number;
}

type Sized = Pick<QueuedText, "rank" | "prompt"> & {
  readonly text: Pick<QueuedText["text"], "isPaused">;
  readonly sent: Pick<QueuedText["sent"], "id" | "maxNewTokens">;
  readonly given: { readonly length: number } | null;
};

/** Returns the greatest length of a text, in tokens. */
export function longestOf({ prompt, sent }: Sized): number {
  return prompt.length + sent.maxNewTokens;
}

/** Returns the size of the caches of some texts, each as long as the longest may become, in bytes. */
export function bytesOf(texts: readonly Sized[], { bytesPerToken, bytesPerGiven }: TextLimits): number {
  const longest = Math.max(0, ...texts.map(longestOf));
  const given = Math.max(0, ...texts.map((text) => text.given?.length ?? 0));
  return texts.length * (longest * bytesPerToken + given * bytesPerGiven);
}

/**
 * Chooses the texts that have a place next: the most urgent ones; of equal ones, those that run, and then the oldest.
 * One that does not fit keeps later ones waiting, so that it comes to its turn. A paused one keeps its place while
 * nobody else wants it.
 * @param texts in the order of their calls
 * @param isRunning whether a text runs: leaving its place costs it its cache
 * @param joinsTogether whether only texts that begin together share steps: others wait then until half of the places
 * are free
 */
export function chooseTexts<Text extends Sized>(
  texts: readonly Text[],
  isRunning: (text: Text) => boolean,
  limits: TextLimits,
  joinsTogether = false,
): readonly Text[] {
  const { maxTexts, maxCacheBytes } = limits;
  const order = firstOf(
    texts,
    maxTexts,
    (one, other) =>
      Number(one.text.isPaused) - Number(other.text.isPaused) ||
      one.rank - other.rank ||
      Number(isRunning(other)) - Number(isRunning(one)) ||
      one.sent.id - other.sent.id,
  );
  const chosen: Text[] = [];
  for (const text of order) {
    if (bytesOf([...chosen, text], limits) > maxCacheBytes) break;
    chosen.push(text);
  }
  const running = texts.filter(isRunning);
  const staying = chosen.filter(isRunning);
  const joining = chosen.length - staying.length;
  const isFew = staying.length > 0 && joining < chosen.length / 2 && chosen.length < texts.length;
  // A text that gives up its place is never kept out.
  return joinsTogether && isFew && staying.length === running.length ? staying : chosen;
}

/** Returns the first texts in an order. Those that come later, of which there may be thousands, are looked at once. */
function firstOf<Text>(
  texts: readonly Text[],
  count: number,
  compare: (one: Text, other: Text) => number,
): readonly Text[] {
  const first: Text[] = [];
  for (const text of texts) {
    const last = first.length < count ? undefined : first.at(-1);
    if (last !== undefined && compare(last, text) <= 0) continue;
    first.splice(first.findLastIndex((other) => compare(other, text) <= 0) + 1, 0, text);
    if (first.length > count) first.pop();
  }
  return first;
}
