import { FramebatchError } from "./errors.js";
import { describeValue } from "./description.js";
import { fixForName, quoteNames } from "./names.js";

/** Returns an `INVALID_OPTION` error with the message `option: expected …`. */
export function invalidOption(option: string, sentence: string): FramebatchError {
  return new FramebatchError("INVALID_OPTION", `${option}: expected ${sentence}`, { details: { option } });
}

/** Returns an `INVALID_OPTION` error with the message `option: expected X, got Y; fix`. */
export function optionError(option: string, expected: string, got: unknown, fix: string): FramebatchError {
  return invalidOption(option, `${expected}, got ${describeValue(got)}; ${fix}`);
}

/** Returns an `INVALID_OPTION` error for a name that is not in `known`, with the one that was probably meant. */
export function unknownNameError(
  option: string,
  expected: string,
  name: string,
  known: readonly string[],
): FramebatchError {
  return invalidOption(option, unknownName(expected, name, known));
}

/** Returns the message of that error, without the option. */
export function unknownName(expected: string, name: string, known: readonly string[]): string {
  const fix = fixForName(name, known, "name one of these, or remove it");
  return `${expected} (${quoteNames(known)}), got "${name}"; ${fix}`;
}
