import { noItems } from "./predict-many.js";
import { type Pulled, type Source, SourceReader } from "./source-reader.js";

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
  /**
   * Returns whether to pull another item when `pulled` items are pulled and not yet yielded. Always true for 0, unless
   * stopped.
   */
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
 * whatever it waits for. However the stream ends, it closes the port and the source, and does not wait for the source.
 * @throws INVALID_INPUT when the source cannot be iterated.
 */
export async function* predictStream<Item, Output>(
  source: Source<Item>,
  port: StreamPort<Item, Output>,
): AsyncGenerator<Output, void, undefined> {
  const stream = new OpenStream(source, port);
  try {
    stream.open();
    for (let next = await stream.next(); next !== null; next = await stream.next()) yield next.output;
  } finally {
    stream.close();
  }
}

/** An item that has been pulled. */
interface OpenItem<Output> {
  readonly output: Promise<Output>;
  isSettled: boolean;
}

class OpenStream<Item, Output> {
  readonly #source: Source<Item>;
  readonly #port: StreamPort<Item, Output>;
  /** Items that are pulled and not yet yielded, in source order. */
  readonly #pulled: OpenItem<Output>[] = [];
  #items: SourceReader<Item> | null = null;
  #isPulling = false;
  #isClosed = false;
  /** How the source ended; `null` while it has not. */
  #sourceEnd: { readonly hasFailed: boolean; readonly error?: unknown } | null = null;
  #wake: () => void = () => undefined;

  constructor(source: Source<Item>, port: StreamPort<Item, Output>) {
    this.#source = source;
    this.#port = port;
  }

  open(): void {
    this.#port.open(() => this.#wake());
    this.#items = SourceReader.open(this.#source);
    if (this.#items === null) throw noItems(this.#source);
  }

  /** Returns the next output in source order, or `null` at the end of the source. */
  async next(): Promise<{ readonly output: Output } | null> {
    for (;;) {
      this.#pull();
      // Looked at after the pull, because the source may stop its own stream.
      const { stopped } = this.#port;
      if (stopped !== null) throw stopped.reason;
      const head = this.#pulled[0];
      if (head?.isSettled) {
        this.#pulled.shift();
        return { output: await head.output };
      }
      if (head === undefined && this.#sourceEnd !== null) return this.#end(this.#sourceEnd);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#port.close();
    this.#items?.close();
  }

  #end({ hasFailed, error }: { readonly hasFailed: boolean; readonly error?: unknown }): null {
    if (hasFailed) throw error;
    return null;
  }

  #pull(): void {
    const items = this.#items;
    if (items === null || this.#isPulling || this.#isClosed || this.#sourceEnd !== null) return;
    if (!this.#port.wants(this.#pulled.length)) return;
    this.#isPulling = true;
    new Promise<Pulled<Item>>((resolve, reject) => items.pull(resolve, reject)).then(
      (pulled) => this.#came(pulled),
      (error: unknown) => this.#ended({ hasFailed: true, error }),
    );
  }

  #came(pulled: Pulled<Item>): void {
    if (pulled === null) return this.#ended({ hasFailed: false });
    this.#isPulling = false;
    if (this.#isClosed) return;
    this.#predict(pulled.item);
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
