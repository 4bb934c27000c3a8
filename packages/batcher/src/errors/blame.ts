import { errorTraits } from "./error-codes.js";
import { FramebatchError } from "./errors.js";
import { statusTraits } from "./http-status.js";

/** More causes than errors have, unless they cause each other. */
const MAX_CAUSES = 16;

/** Names of errors that end a call from outside: an abort, a timeout, a lost connection. */
const NAMES_FROM_OUTSIDE: readonly unknown[] = ["AbortError", "TimeoutError", "NetworkError"];

/**
 * What `fetch`, the body of a response and `import()` say of a network that fails. They throw a TypeError, as mistakes
 * in code do, and no engine tells the two apart by more than these words.
 */
const NETWORK_WORDS: readonly RegExp[] = [
  // Chromium
  /^Failed to fetch\b/,
  /^network error$/i,
  // Firefox
  /^NetworkError when attempting to fetch/,
  /^Error in (input|body) stream$/,
  /^error loading dynamically imported module/,
  // WebKit, with the words of the system
  /^Load failed\b/,
  /^(The network connection was lost|The Internet connection appears to be offline|The request timed out)/,
  /^(Could not connect to the server|A server with the specified hostname could not be found)/,
  /^Importing a module script failed/,
  // Node
  /^(fetch failed|terminated)$/,
  // The usual polyfill, as in React Native
  /^Network request failed$/,
];

/**
 * Whether an error may say something about the items of a batch, so that a part of them may be answered. An abort, a
 * timeout, a network that fails and a server that is busy or broken would meet each part alike. The first of the error
 * and its causes that is one of these, or that has the status of an HTTP response, decides. Any other error may be
 * about the items.
 */
export function isAboutItems(error: unknown): boolean {
  let link = error;
  for (let depth = 0; depth <= MAX_CAUSES && typeof link === "object" && link !== null; depth++) {
    const verdict = verdictOn(link);
    if (verdict !== null) return verdict;
    link = propertyOf(link, "cause");
  }
  return true;
}

/** Returns whether an error is about the items; `null` if it leaves that open. */
function verdictOn(error: object): boolean | null {
  const status = statusOf(error);
  if (status !== null) return statusTraits(status).blames === "items";
  const mayPass = error instanceof FramebatchError && errorTraits(error.code).retry !== "never";
  return mayPass || NAMES_FROM_OUTSIDE.includes(propertyOf(error, "name")) || isNetworkError(error) ? false : null;
}

/**
 * Returns the HTTP status of a failure: that of a `Response`, of an error with a number as its `status` or its
 * `statusCode`, or of one with a `response`. `null` if there is none.
 */
function statusOf(error: object): number | null {
  const details = error instanceof FramebatchError ? error.details : null;
  const places = [error, propertyOf(error, "response"), details];
  const found = places.flatMap((place) => [propertyOf(place, "status"), propertyOf(place, "statusCode")]);
  return found.find(isFailure) ?? null;
}

function isFailure(status: unknown): status is number {
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600;
}

function isNetworkError(error: object): boolean {
  if (propertyOf(error, "code") === "ERR_NETWORK") return true;
  const message = propertyOf(error, "message");
  return (
    propertyOf(error, "name") === "TypeError" &&
    typeof message === "string" &&
    NETWORK_WORDS.some((words) => words.test(message))
  );
}

/** Returns a property of anything. Never throws: a getter may. */
function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}
