/**
 * The most lists and objects inside each other that options have: those of a session of ONNX Runtime. It ends the copy
 * of a value that contains itself.
 */
const LEVELS = 8;

/**
 * Copies the options of a call that reads them after it has returned, because the caller may change them for the next
 * call: the object, and the lists and plain objects in it. Everything else is kept as it is: functions, signals,
 * groups, buffers. An option that is `undefined` is left out. What is no object is returned for the checks to reject.
 */
export function copyOptions<Options>(options: Options): Options;
export function copyOptions(options: unknown): unknown {
  // An object of a class of the caller may hold options, too.
  if (typeof options !== "object" || options === null) return options;
  const copy = copyObject(options, identity, LEVELS);
  for (const [name, value] of Object.entries(copy)) if (value === undefined) Reflect.deleteProperty(copy, name);
  return copy;
}

/**
 * Returns what is in the copy instead of a value that is no list and no plain object. `name` is that of its property.
 */
export type LeafOf = (leaf: unknown, name: string) => unknown;

/** Copies lists and plain objects. */
export function copyValue<Value>(value: Value, leafOf: LeafOf): Value;
export function copyValue(value: unknown, leafOf: LeafOf, levels?: number, name?: string): unknown;
export function copyValue(value: unknown, leafOf: LeafOf, levels = LEVELS, name = ""): unknown {
  return levels > 0 && isListOrPlain(value) ? copyObject(value, leafOf, levels - 1) : leafOf(value, name);
}

/** What the prototype has is still found there. */
function copyObject(from: object, leafOf: LeafOf, levels: number): object {
  if (Array.isArray(from)) return from.map((value: unknown) => copyValue(value, leafOf, levels));
  const entries = Object.entries(from).map(([name, value]) => [name, copyValue(value, leafOf, levels, name)]);
  return Object.setPrototypeOf(Object.fromEntries(entries), Reflect.getPrototypeOf(from));
}

function identity(value: unknown): unknown {
  return value;
}

/** Whether a value is a list, or an object without a class, of any realm. */
function isListOrPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Reflect.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Reflect.getPrototypeOf(prototype) === null;
}
