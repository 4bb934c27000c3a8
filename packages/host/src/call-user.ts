import { reportUncaught } from "./page.js";

/**
 * Calls a notification callback of the user. An error that it throws is reported as an uncaught error and does not
 * affect the caller.
 */
export function callUser<Args extends readonly unknown[]>(
  callback: ((...args: Args) => void) | undefined,
  ...args: Args
): void {
  try {
    callback?.(...args);
  } catch (error) {
    reportUncaught(error);
  }
}
