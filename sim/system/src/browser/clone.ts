import { SimBlob } from "./blob.js";

/** Something that moves to another realm in a message. */
export interface Movable {
  /** Returns the same thing for the receiver, and makes this one useless. */
  moveTo(receiver: object): unknown;
}

export function isMovable(value: unknown): value is Movable {
  return typeof value === "object" && value !== null && "moveTo" in value;
}

type ViewConstructor = new (buffer: ArrayBufferLike, offset: number, length?: number) => ArrayBufferView;

/**
 * Copies a message as the structured clone algorithm does. Buffers in `transfer` are detached, ports move.
 * @param receiver the realm that gets the message, for ports
 * @throws DataCloneError for functions, symbols, detached or unknown objects; nothing has moved then
 */
export function cloneMessage(message: unknown, transfer: readonly unknown[], receiver: object): unknown {
  const seen = new Map<object, unknown>();
  for (const item of transfer) {
    if (item instanceof ArrayBuffer && isDetached(item)) throw refused("a detached buffer in the transfer list");
    if (!(item instanceof ArrayBuffer) && !isMovable(item)) throw refused(`${String(item)} in the transfer list`);
    if (seen.has(item)) throw refused("the same object twice in the transfer list");
    seen.set(item, null);
  }
  if (transfer.length === 0) return copy(message, seen);
  // What cannot be cloned must be found before anything moves.
  copy(message, new Map(Array.from(seen.keys(), (item) => [item, item])));
  for (const item of transfer) {
    if (item instanceof ArrayBuffer) seen.set(item, item.slice(0));
    else if (isMovable(item)) seen.set(item, item.moveTo(receiver));
  }
  const sent = copy(message, seen);
  // Views of a buffer lose their length when it is detached, so that comes last.
  for (const item of transfer) if (item instanceof ArrayBuffer) structuredClone(item, { transfer: [item] });
  return sent;
}

/** Copies what is kept, or what nothing moves out of. @throws DataCloneError */
export function cloneValue(value: unknown): unknown {
  return copy(value, new Map());
}

function copy(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value === "function" || typeof value === "symbol") throw refused(`${String(value)} could not be cloned`);
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  return copyObject(value, seen);
}

function copyObject(value: object, seen: Map<object, unknown>): unknown {
  if (isMovable(value)) throw refused("an object that can only be transferred");
  if (ArrayBuffer.isView(value)) return copyView(value, seen);
  if (value instanceof SharedArrayBuffer || value instanceof SimBlob) return value;
  if (value instanceof ArrayBuffer) {
    if (isDetached(value)) throw refused("a detached buffer");
    return remember(value, value.slice(0), seen);
  }
  if (value instanceof Error || value instanceof Date || value instanceof RegExp) return structuredClone(value);
  if (value instanceof Map) {
    const map = remember(value, new Map(), seen);
    for (const [key, item] of value) map.set(copy(key, seen), copy(item, seen));
    return map;
  }
  if (value instanceof Set) {
    const set = remember(value, new Set(), seen);
    for (const item of value) set.add(copy(item, seen));
    return set;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) throw refused("such an object");
  return copyMembers(value, seen);
}

function copyMembers(value: object, seen: Map<object, unknown>): unknown {
  if (Array.isArray(value)) return copyArray(value, seen);
  const result: Record<string, unknown> = remember(value, {}, seen);
  for (const [key, member] of Object.entries(value)) {
    const copied = copy(member, seen);
    if (key !== "__proto__") result[key] = copied;
    else Object.defineProperty(result, key, { value: copied, writable: true, enumerable: true, configurable: true });
  }
  return result;
}

function copyArray(value: readonly unknown[], seen: Map<object, unknown>): unknown[] {
  const result: unknown[] = remember(value, Array.from({ length: value.length }), seen);
  for (let index = 0; index < value.length; index++) result[index] = copy(value[index], seen);
  return result;
}

function copyView(view: ArrayBufferView, seen: Map<object, unknown>): ArrayBufferView {
  const { buffer, byteOffset } = view;
  if (buffer instanceof ArrayBuffer && isDetached(buffer)) throw refused("a view of a detached buffer");
  const moved = copy(buffer, seen);
  const length: unknown = view instanceof DataView ? view.byteLength : Reflect.get(view, "length");
  const constructor: ViewConstructor = Reflect.get(view, "constructor");
  return Reflect.construct(constructor, [moved, byteOffset, length]);
}

function remember<T extends object>(from: object, made: T, seen: Map<object, unknown>): T {
  seen.set(from, made);
  return made;
}

function isDetached(buffer: ArrayBuffer): boolean {
  if (buffer.byteLength > 0) return false;
  try {
    return new Uint8Array(buffer).length !== 0;
  } catch {
    return true;
  }
}

function refused(what: string): DOMException {
  return new DOMException(`${what} could not be cloned.`, "DataCloneError");
}
