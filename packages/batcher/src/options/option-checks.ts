import { FramebatchError } from "../errors/errors.js";
import { baseUrl } from "@framebatch/host/base-url.js";
import { fixForName, invalidOption, optionError, quoteNames } from "../errors/option-errors.js";

/** Checks the value of the option `name`. @throws INVALID_OPTION when the option cannot have this value. */
export type OptionCheck = (value: unknown, name: string) => void;

/**
 * Checks that all option names exist.
 * @param known names that exist
 * @param path prefix of the names in the error message, such as `"batching."`
 * @throws INVALID_OPTION when a name does not exist; the message suggests the closest name.
 */
export function checkNames(options: object, known: readonly string[], path = ""): void {
  for (const name in options) {
    // Some libraries add properties to Object.prototype. The caller did not pass those.
    if (known.includes(name) || (name in Object.prototype && !Object.hasOwn(options, name))) continue;
    const fix = fixForName(name, known, `remove it; there are ${quoteNames(known)}`);
    throw invalidOption(path + name, `an option that exists, got an unknown one; ${fix}`);
  }
}

/** Returns true for an object that is not an array. */
export function isOptionsObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns a check that accepts the values for which `isRight` returns true.
 * @param expected description of these values, for the error message
 * @param fix what the caller can do, for the error message
 */
export function check(isRight: (value: unknown) => boolean, expected: string, fix: string): OptionCheck {
  return (value, name) => {
    if (!isRight(value)) throw optionError(name, expected, value, fix);
  };
}

/** Returns a check that accepts integers from `least` to `most`, inclusive. */
export function integerFrom(least: number, most: number, fix: string): OptionCheck {
  const isRight = (value: unknown) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
  return check(isRight, `a whole number from ${least} to ${most}`, fix);
}

/**
 * Returns true for a number that is 0 or more, and finite: no option means "without limit" by Infinity unless it names
 * it.
 */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

/** Returns true for a finite number above 0. */
export function isAmountAboveZero(value: unknown): value is number {
  return isAmount(value) && value > 0;
}

/** Checks that a value is an `AbortSignal`, of any realm: a page may abort what it asked for in a frame. */
export const checkSignal = /* @__PURE__ */ check(isSignal, "an AbortSignal", "pass controller.signal");

function isSignal(value: unknown): boolean {
  try {
    // The getter inspects the actual value, and throws for any other one.
    return typeof Reflect.get(AbortSignal.prototype, "aborted", value) === "boolean";
  } catch {
    return false;
  }
}

/** Returns true for a `URL`, of any realm: the name of its class is the same in each. */
export function isUrl(value: unknown): value is URL {
  return Object.prototype.toString.call(value) === "[object URL]";
}

/** Returns true for what can be an address: a text that is not empty, or a `URL`. */
export function isAddress(value: unknown): value is string | URL {
  return (typeof value === "string" && value !== "") || isUrl(value);
}

export const isBoolean = (value: unknown) => typeof value === "boolean";

/**
 * Resolves an address against the page or script of the caller, because the framebatch worker has another base URL.
 * @param name name of the option, for the error message
 * @throws INVALID_OPTION when the address is not a URL.
 */
export function absoluteUrl(address: string | URL, name = "source"): string {
  try {
    return new URL(address, baseUrl()).href;
  } catch {
    throw new FramebatchError(
      "INVALID_OPTION",
      // The message omits the address, and the error has no cause: both may contain secrets.
      `${name}: expected a URL, got one that cannot be read; check its spelling`,
    );
  }
}
