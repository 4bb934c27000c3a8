/** Whether a value is an error, of any realm: one of a frame is no instance of this page's class. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value));
}
