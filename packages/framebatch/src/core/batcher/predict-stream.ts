/** Where a stream asks for its results. */
export interface StreamPort<Item, Output> {
  /**
   * Called once, before anything is pulled. `onChange` is to be called when the stream may go on or has been stopped.
   * @throws what the stream is to fail with, for one that must not start.
   */
  open(onChange: () => void): void;
  /** Why the stream must end before its source does, or `null`. */
  readonly stopped: { readonly reason: unknown } | null;
  /** Whether to pull another item while so many are pulled and not yielded. Always true for 0. */
  wants(pulled: number): boolean;
  predict(item: Item): Promise<Output>;
  /** Takes back every request that is open. */
  close(): void;
}

/**
 * Predicts the items of a source and yields their results in its order. Results do not wait for a source that is slow, and
 * no more is pulled than the port wants.
 *
 * A failed item ends the stream: its error is thrown at its turn. So is an error of the source: after the results of all items
 * before it. A stream that is stopped ends at once, whatever it waits for. At every end the port is closed, and a source that
 * has not ended is told to stop.
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
  /** Pulled and not yielded, in order. */
  readonly #pulled: Pulled<Output>[] = [];
  #items: Iterator<Item> | AsyncIterator<Item> | null = null;
  #isPulling = false;
  #isClosed = false;
  /** How the source has ended, once it has. */
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

  /** The next output in order, `null` at the end of the source. */
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
    // A source that owes an item hears of its end only after that, which may be never.
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
    // A failure counts as handled: it is thrown at its turn, or not at all if the stream ends before.
    pulled.output.then(settled, settled);
  }
}

function iteratorOf<Item>(source: Iterable<Item> | AsyncIterable<Item>): Iterator<Item> | AsyncIterator<Item> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

/** Rejects where an iterator throws. */
async function pull<Item>(items: Iterator<Item> | AsyncIterator<Item>): Promise<IteratorResult<Item>> {
  return items.next();
}

async function stop(items: Iterator<unknown> | AsyncIterator<unknown>): Promise<void> {
  await items.return?.();
}
