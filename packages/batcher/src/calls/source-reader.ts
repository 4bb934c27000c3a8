import { settleCall } from "./user-call.js";

/** What can be read item by item: a list, a string, a generator, a `ReadableStream`. */
export type Source<Item> = Iterable<Item> | AsyncIterable<Item>;

/** What a source gave: an item, or `null` at its end. */
export type Pulled<Item> = { readonly item: Item } | null;

/**
 * Reads a source of the caller's, as `for await` does.
 *
 * Invariants, whatever the source does:
 * - Each `pull` has one outcome.
 * - A source that has neither ended nor failed is closed once, and never inside its own `next`, where a generator
 *   refuses to be closed.
 */
export class SourceReader<Item> {
  readonly #items: Iterator<Item> | AsyncIterator<Item>;
  /** Whether the source has ended, failed or been closed. */
  #isOver = false;
  /** Whether the source's `next` has not returned yet. */
  #isInNext = false;
  #isCloseDue = false;

  private constructor(items: Iterator<Item> | AsyncIterator<Item>) {
    this.#items = items;
  }

  /** Opens a source. Returns `null` if it is none. @throws what the source throws. */
  static open<Item>(source: Source<Item>): SourceReader<Item> | null {
    const items = iteratorOf(source);
    return items === undefined ? null : new SourceReader(items);
  }

  /** Asks for the next item, and calls back once, perhaps before this returns. The callbacks must not throw. */
  pull(came: (pulled: Pulled<Item>) => void, failed: (error: unknown) => void): void {
    const fail = (error: unknown) => {
      this.#isOver = true;
      failed(error);
    };
    const use = (result: IteratorResult<Item>) => settleCall(() => this.#read(result), came, fail);
    settleCall(() => this.#next(), use, fail);
  }

  /**
   * Closes the source, if there is something to close. Nobody waits for that, and nobody is left to tell its errors to.
   */
  close(): void {
    if (this.#isOver) return;
    if (this.#isInNext) {
      this.#isCloseDue = true;
      return;
    }
    this.#isOver = true;
    settleCall<unknown>(() => this.#items.return?.(), ignore, ignore);
  }

  #next(): IteratorResult<Item> | PromiseLike<IteratorResult<Item>> {
    this.#isInNext = true;
    try {
      return this.#items.next();
    } catch (error) {
      this.#isOver = true;
      throw error;
    } finally {
      this.#isInNext = false;
      if (this.#isCloseDue) this.close();
    }
  }

  /** Reads a result once, because the caller may have written its properties. */
  #read(result: IteratorResult<Item>): Pulled<Item> {
    if (Object(result) !== result) throw new TypeError(`expected next() to return an object, got ${typeof result}`);
    if (!result.done) return { item: result.value };
    this.#isOver = true;
    return null;
  }
}

type Openable<Item> = Partial<Iterable<Item> & AsyncIterable<Item>> | null | undefined;

/** A caller without types may pass anything. */
function iteratorOf<Item>(source: Openable<Item>): Iterator<Item> | AsyncIterator<Item> | undefined {
  return source?.[Symbol.asyncIterator]?.() ?? source?.[Symbol.iterator]?.();
}

function ignore(): void {}
