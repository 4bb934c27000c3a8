/** The classes whose objects hold memory until `close` is called. Browsers lack some of them. */
const CLOSABLE = ["ImageBitmap", "VideoFrame", "AudioData"];

/** The classes that can be transferred, besides `ArrayBuffer`. */
const MOVABLE = [...CLOSABLE, "OffscreenCanvas", "MessagePort", "ReadableStream", "WritableStream", "TransformStream"];

/** The classes whose objects never change, so that a reference is as good as a copy. */
const CONSTANT = ["Blob", "ImageBitmap", "VideoFrame", "AudioData"];

/**
 * Returns what can be transferred with a value: buffers that a single array fills, and objects such as `ImageBitmap`.
 * Looks into arrays, maps, sets, and objects of no built-in class, as structured cloning does.
 */
export function transferablesIn(value: unknown): Transferable[] {
  const found = new Set<Transferable>();
  for (const object of objectsIn(value)) {
    const buffer = bufferOf(object);
    if (buffer !== null) found.add(buffer);
    else if (isMovable(object)) found.add(object);
  }
  return [...found];
}

/**
 * Closes every bitmap and frame in a value, which frees their memory. Closing one that was transferred does nothing.
 */
export function closeAll(value: unknown): void {
  for (const object of objectsIn(value)) if (isClosable(object)) object.close();
}

/** Whether a bitmap or frame in a value is closed. */
export function hasClosed(value: unknown): boolean {
  return [...objectsIn(value)].some(isClosed);
}

/** Returns a value with `null` in place of its closed bitmaps and frames, which no message can contain. */
export function withoutClosed(value: unknown): unknown {
  const replaced = (child: unknown) => (isClosed(child) ? null : child);
  for (const object of objectsIn(value)) replaceIn(object, replaced);
  return replaced(value);
}

/** Replaces what an object contains, in the same order. */
function replaceIn(object: object, replaced: (child: unknown) => unknown): void {
  const children = childrenOf(object);
  if (isMap(object)) {
    const entries = [...object];
    object.clear();
    for (const [key, child] of entries) object.set(replaced(key), replaced(child));
  } else if (isSet(object)) {
    object.clear();
    for (const child of children) object.add(replaced(child));
  } else if (children.length > 0)
    for (const [key, child] of Object.entries(object)) Reflect.set(object, key, replaced(child));
}

/** Whether a value never changes, so that it need not be copied. */
export function isConstant(value: unknown): boolean {
  return typeof value !== "object" || value === null || isOneOf(value, CONSTANT);
}

/** Yields each object in a value once, the value itself first. */
function* objectsIn(value: unknown): Generator<object> {
  const open: unknown[] = [value];
  const seen = new Set<object>();
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    yield next;
    for (const child of childrenOf(next)) open.push(child);
  }
}

function childrenOf(object: object): readonly unknown[] {
  if (Array.isArray(object)) return object;
  if (isMap(object)) return [...object.keys(), ...object.values()];
  if (isSet(object)) return [...object];
  return isOneOf(object, ["Object"]) ? Object.values(object) : [];
}

function isMap(object: object): object is Map<unknown, unknown> {
  return isOneOf(object, ["Map"]);
}

function isSet(object: object): object is Set<unknown> {
  return isOneOf(object, ["Set"]);
}

/** Returns the buffer of an array that fills it, or of the object itself. */
function bufferOf(object: object): ArrayBuffer | null {
  if (isArrayBuffer(object)) return object;
  if (!ArrayBuffer.isView(object) || !isArrayBuffer(object.buffer)) return null;
  return object.byteLength > 0 && object.byteLength === object.buffer.byteLength ? object.buffer : null;
}

function isArrayBuffer(object: object): object is ArrayBuffer {
  return isOneOf(object, ["ArrayBuffer"]);
}

function isMovable(object: object): object is Transferable {
  return isOneOf(object, MOVABLE);
}

function isClosable(object: object): object is { close(): void } {
  return isOneOf(object, CLOSABLE);
}

/** Closed bitmaps, frames and audio have lost their size. */
function isClosed(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !isClosable(value)) return false;
  return ["width", "codedWidth", "numberOfFrames"].some((size) => Reflect.get(value, size) === 0);
}

/** Compares names, because a value can come from another realm, such as an iframe. */
function isOneOf(object: object, names: readonly string[]): boolean {
  return names.includes(Object.prototype.toString.call(object).slice("[object ".length, -1));
}
