/**
 * The most lists and objects inside each other that options have: those of a session of ONNX Runtime. It ends the copy of a
 * value that contains itself.
 */
const LEVELS = 8;

/**
 * Copies the options of a call that reads them after it has returned, because the caller may change them for the next call:
 * the object, and the lists and plain objects in it. Everything else is kept as it is: functions, signals, groups, buffers.
 * What is no object is returned for the checks to reject.
 */
export function copyOptions<Options>(options: Options): Options;
export function copyOptions(options: unknown): unknown {
  // An object of a class of the caller may hold options, too.
  return typeof options === "object" && options !== null && !Array.isArray(options)
    ? copyObject(options, LEVELS)
    : options;
}

function copyValue(value: unknown, levels: number): unknown {
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => copyValue(one, levels - 1));
  return isPlain(value) ? copyObject(value, levels - 1) : value;
}

/** What the prototype has is still found there. */
function copyObject(from: object, levels: number): object {
  const entries = Object.entries(from).map(([name, value]) => [name, copyValue(value, levels)] as const);
  const copy: object = Object.fromEntries(entries);
  Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(from));
  return copy;
}

/** Whether a value is an object without a class, of any realm. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Reflect.getPrototypeOf(value);
  return prototype === null || Reflect.getPrototypeOf(prototype) === null;
}
