import { reportUncaught } from "./host.js";

/**
 * Calls a function of the user's that is only told something. An error that it throws is reported as an uncaught one is, and
 * harms nothing else.
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
