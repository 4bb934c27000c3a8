/** Whether a value is an error, of any realm: one of a frame is no instance of this page's class. */
export function isError(value: unknown): value is Error {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Nearly all results are such objects, and each is asked.
  if (prototype === Object.prototype || prototype === Array.prototype) return false;
  return value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value));
}
