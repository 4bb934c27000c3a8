const HEAD_IS_READY = Symbol("the first result is ready");

/**
 * Predicts the items of a source and yields their results in its order. Never more than `appetite()` items are taken
 * from the source ahead of the consumer, and results do not wait for a source that is slow.
 *
 * A failed item ends the stream: its error is thrown at its turn. Then, and when the consumer stops early, `cancel` is
 * called for what is still open, and the source is told to stop.
 */
export async function* predictStream<Item, Output>(
  source: Iterable<Item> | AsyncIterable<Item>,
  predict: (item: Item) => Promise<Output>,
  appetite: () => number,
  cancel: () => void,
): AsyncGenerator<Output, void, undefined> {
  const items = iteratorOf(source);
  const results: Promise<Output>[] = [];
  let pull: Promise<IteratorResult<Item>> | null = null;
  let isExhausted = false;
  try {
    for (;;) {
      while (!isExhausted && results.length < Math.max(1, appetite())) {
        pull ??= Promise.resolve(items.next());
        const pulled = results.length === 0 ? await pull : await Promise.race([pull, readiness(results[0]!)]);
        if (pulled === HEAD_IS_READY) break;
        pull = null;
        if (pulled.done) isExhausted = true;
        else results.push(handled(predict(pulled.value)));
      }
      const head = results.shift();
      if (head === undefined) return;
      yield await head;
    }
  } finally {
    cancel();
    const stopped = isExhausted ? undefined : Promise.resolve(items.return?.());
    // A source that owes an item hears of its end only after that, which may be never.
    if (pull === null) await stopped;
    else stopped?.catch(() => undefined);
  }
}

function iteratorOf<Item>(source: Iterable<Item> | AsyncIterable<Item>): Iterator<Item> | AsyncIterator<Item> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

/** Resolves, never rejects, when the result is there. */
function readiness(result: Promise<unknown>): Promise<typeof HEAD_IS_READY> {
  return result.then(
    () => HEAD_IS_READY,
    () => HEAD_IS_READY,
  );
}

/** Marks a rejection as handled: it is thrown at its turn, or not at all if the consumer stops before. */
function handled<Output>(result: Promise<Output>): Promise<Output> {
  result.catch(() => undefined);
  return result;
}
