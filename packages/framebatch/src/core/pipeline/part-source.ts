/** What a split may return: the parts of one item, in order, at once or as they are found. */
export type Parts<Part> = Iterable<Part> | AsyncIterable<Part>;
export type PartSource<Part> = Parts<Part> | PromiseLike<Parts<Part>>;

/** Pulls the parts of one item. */
export interface PartIterator<Part> {
  next(): IteratorResult<Part> | PromiseLike<IteratorResult<Part>>;
  /** Ends the source early. Never rejects: there is nobody left to tell. */
  close(): Promise<void>;
}

/** Returns the iterator of a source. @throws TypeError when it is not iterable. */
export function partsOf<Part>(source: PartSource<Part>): PartIterator<Part> | PromiseLike<PartIterator<Part>> {
  return isPromiseLike(source) ? source.then(iterate) : iterate(source);
}

function iterate<Part>(source: Parts<Part>): PartIterator<Part> {
  const iterator = iteratorOf(source);
  return {
    next: () => iterator.next(),
    close: async () => {
      try {
        await iterator.return?.();
      } catch {
        // The run has ended, and its caller has the reason.
      }
    },
  };
}

function iteratorOf<Part>(source: Parts<Part>): Iterator<Part> | AsyncIterator<Part> {
  // A string is iterable and not an object, and an untyped function may return anything.
  const iterable: object = Object(source);
  if (Symbol.asyncIterator in iterable && Symbol.asyncIterator in source) return source[Symbol.asyncIterator]();
  if (Symbol.iterator in iterable && Symbol.iterator in source) return source[Symbol.iterator]();
  throw new TypeError(`expected an iterable of parts, got ${typeof source}; return a list or write a generator`);
}

/** Returns true for a promise, of any library. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
