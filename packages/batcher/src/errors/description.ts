import { asError } from "./errors.js";

/**
 * Describes a value for error messages: `Float32Array(784)`, `string "cat"`, `Array(3)`, `null`. Never throws, whatever
 * proxy or incomplete object it gets. Runs no getter of the value except through `Object.prototype.toString`.
 */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (typeof value === "number" || typeof value === "boolean") return `${typeof value} ${value}`;
  if (typeof value === "string")
    return `string ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  if (typeof value === "bigint") return `bigint ${value}n`;
  if (typeof value !== "object") return `a ${typeof value}`;
  try {
    return describeObject(value);
  } catch {
    return "an object that cannot be read";
  }
}

/** Whether a value is an array or a typed array, of any realm. */
export function isElements(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || typedArrayClass(value) !== undefined;
}

/**
 * Returns the class name of a typed array ("Float32Array") from any realm, or `undefined` for any other value,
 * including proxies.
 */
export function typedArrayClass(value: unknown): string | undefined {
  if (typeof value !== "object") return undefined;
  // The getter that all typed arrays inherit inspects the actual value, which the value cannot override.
  const className: unknown = Reflect.get(TYPED_ARRAY_PROTOTYPE, Symbol.toStringTag, value);
  return typeof className === "string" ? className : undefined;
}

const TYPED_ARRAY_PROTOTYPE: object = Object.getPrototypeOf(Uint8Array.prototype);

function describeObject(value: object): string {
  if (Array.isArray(value)) return `Array(${value.length})`;
  const className = typedArrayClass(value);
  if (className !== undefined && "length" in value) return `${className}(${String(value.length)})`;
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return tag === "Object" ? `an object with ${keysOf(value)}` : `${/^[AEIO]/.test(tag) ? "an" : "a"} ${tag}`;
}

function keysOf(value: object): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return "no keys";
  const shown = keys.slice(0, 5).map((key) => JSON.stringify(key));
  return `${keys.length === 1 ? "the key" : "the keys"} ${shown.join(", ")}${keys.length > 5 ? ", …" : ""}`;
}

/** Formats dims for error messages: numbers, the model's names, and `?` for an unnamed dynamic size. */
export function describeDims(dims: readonly (number | null)[], symbols: readonly (string | null)[] = []): string {
  return `[${dims.map((size, axis) => size ?? symbols[axis] ?? "?").join(", ")}]`;
}

/**
 * Returns an address for messages, or a text of the browser or of ONNX Runtime that names addresses: each with its origin
 * and path only, since a query, a user name, or a `data:` address may hold a secret.
 */
export function shownAddress(text: string): string {
  return text
    .replaceAll(/\b(data|blob):[^\s"'<>)]+/g, "a $1: address")
    .replaceAll(/\b([\w+.-]+:\/\/)(?:[^\s/?#@]*@)?([^\s"'<>)?#]*)[^\s"'<>)]*/g, "$1$2");
}

/** Returns a thrown value as the cause of an error: itself, unless its text holds more of an address. */
export function shownCause(thrown: unknown): unknown {
  const text = asError(thrown).message;
  const shown = shownAddress(text);
  return shown === text ? thrown : new Error(shown);
}
