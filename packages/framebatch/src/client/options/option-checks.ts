import { FramebatchError } from "../../core/errors.js";
import { describeValue } from "../../core/tensor/description.js";
import { closestName, quoteNames } from "../../core/tensor/names.js";

/** Throws where a value cannot be the option of that name. */
export type OptionCheck = (value: unknown, name: string) => void;

/** `name: expected X, got Y; fix`. */
export function refuseOption(name: string, expected: string, got: unknown, fix: string): FramebatchError {
  return new FramebatchError("INVALID_OPTION", `${name}: expected ${expected}, got ${describeValue(got)}; ${fix}`, {
    details: { option: name },
  });
}

/** @throws INVALID_OPTION for an option that does not exist, with the one that was probably meant. */
export function checkNames(options: object, known: readonly string[], path = ""): void {
  for (const name in options) {
    // Some libraries add to the prototype of all objects: that is no option of anybody's.
    if (known.includes(name) || (name in Object.prototype && !Object.hasOwn(options, name))) continue;
    const closest = closestName(name, known);
    const fix = closest === null ? `remove it; there are ${quoteNames(known)}` : `did you mean "${closest}"?`;
    throw new FramebatchError(
      "INVALID_OPTION",
      `${path}${name}: expected an option that exists, got an unknown one; ${fix}`,
      {
        details: { option: path + name },
      },
    );
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Anything for which `isRight` holds. */
export function check(isRight: (value: unknown) => boolean, expected: string, fix: string): OptionCheck {
  return (value, name) => {
    if (!isRight(value)) throw refuseOption(name, expected, value, fix);
  };
}

export function integerFrom(least: number, most: number, fix: string): OptionCheck {
  const isRight = (value: unknown) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
  return check(isRight, `a whole number from ${least} to ${most}`, fix);
}

export const isBoolean = (value: unknown) => typeof value === "boolean";
