/** The batcher as a stream sees it: it accepts items and returns their results. */
export interface StreamPort<Item, Output> {
  /**
   * Called once, before the stream pulls any item. The port calls `onChange` when the stream may continue or has been
   * stopped.
   * @throws the error that the stream must fail with, if it must not start.
   */
  open(onChange: () => void): void;
  /** The reason why the stream must end before its source does, or `null`. */
  readonly stopped: { readonly reason: unknown } | null;
  /** Returns whether to pull another item when `pulled` items are pulled and not yet yielded. Always true for 0, unless stopped. */
  wants(pulled: number): boolean;
  predict(item: Item): Promise<Output>;
  /** Cancels every open request of the stream. */
  close(): void;
}

/**
 * Predicts the items of a source and yields their results in source order. A slow source does not delay results that
 * are ready. The port limits how many items the stream pulls ahead.
 *
 * A failed item ends the stream: the stream throws the item's error in the item's position. If the source throws, the
 * stream yields the results of all earlier items and then throws the source's error. A stopped stream ends at once,
 * whatever it waits for. However the stream ends, it closes the port and calls `return` on a source that has not ended.
 */
export async function* predictStream<Item, Output>(
  source: Iterable<Item> | AsyncIterable<Item>,
  port: StreamPort<Item, Output>,
): AsyncGenerator<Output, void, undefined> {
  const stream = new OpenStream(source, port);
  try {
    stream.open();
    for (let next = await stream.next(); next !== null; next = await stream.next()) yield next.output;
  } finally {
    await stream.close();
  }
}

/** An item that has been pulled. */
interface Pulled<Output> {
  readonly output: Promise<Output>;
  isSettled: boolean;
}

class OpenStream<Item, Output> {
  readonly #source: Iterable<Item> | AsyncIterable<Item>;
  readonly #port: StreamPort<Item, Output>;
  /** Items that are pulled and not yet yielded, in source order. */
  readonly #pulled: Pulled<Output>[] = [];
  #items: Iterator<Item> | AsyncIterator<Item> | null = null;
  #isPulling = false;
  #isClosed = false;
  /** How the source ended; `null` while it has not. */
  #sourceEnd: { readonly hasFailed: boolean; readonly error?: unknown } | null = null;
  #wake: () => void = () => undefined;

  constructor(source: Iterable<Item> | AsyncIterable<Item>, port: StreamPort<Item, Output>) {
    this.#source = source;
    this.#port = port;
  }

  open(): void {
    this.#port.open(() => this.#wake());
    this.#items = iteratorOf(this.#source);
  }

  /** Returns the next output in source order, or `null` at the end of the source. */
  async next(): Promise<{ readonly output: Output } | null> {
    for (;;) {
      const { stopped } = this.#port;
      if (stopped !== null) throw stopped.reason;
      this.#pull();
      const head = this.#pulled[0];
      if (head?.isSettled) {
        this.#pulled.shift();
        return { output: await head.output };
      }
      if (head === undefined && this.#sourceEnd !== null) return this.#end(this.#sourceEnd);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#port.close();
    if (this.#items === null || this.#sourceEnd !== null) return;
    const stopped = stop(this.#items);
    // A source with a pending `next` handles `return` only after it produces that item, which may never happen.
    if (this.#isPulling) stopped.catch(() => undefined);
    else await stopped;
  }

  #end({ hasFailed, error }: { readonly hasFailed: boolean; readonly error?: unknown }): null {
    if (hasFailed) throw error;
    return null;
  }

  #pull(): void {
    if (this.#items === null || this.#isPulling || this.#isClosed || this.#sourceEnd !== null) return;
    if (!this.#port.wants(this.#pulled.length)) return;
    this.#isPulling = true;
    pull(this.#items).then(
      (result) => this.#came(result),
      (error: unknown) => this.#ended({ hasFailed: true, error }),
    );
  }

  #came(result: IteratorResult<Item>): void {
    if (result.done) return this.#ended({ hasFailed: false });
    this.#isPulling = false;
    if (this.#isClosed) return;
    this.#predict(result.value);
    this.#pull();
  }

  #ended(end: { readonly hasFailed: boolean; readonly error?: unknown }): void {
    this.#isPulling = false;
    this.#sourceEnd = end;
    this.#wake();
  }

  #predict(item: Item): void {
    const pulled = { output: this.#port.predict(item), isSettled: false };
    this.#pulled.push(pulled);
    const settled = () => {
      pulled.isSettled = true;
      this.#wake();
    };
    // Marks the rejection as handled. `next` throws it in the item's position, or never if the stream ends earlier.
    pulled.output.then(settled, settled);
  }
}

function iteratorOf<Item>(source: Iterable<Item> | AsyncIterable<Item>): Iterator<Item> | AsyncIterator<Item> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

/** Rejects if the iterator throws synchronously. */
async function pull<Item>(items: Iterator<Item> | AsyncIterator<Item>): Promise<IteratorResult<Item>> {
  return items.next();
}

async function stop(items: Iterator<unknown> | AsyncIterator<unknown>): Promise<void> {
  await items.return?.();
}
