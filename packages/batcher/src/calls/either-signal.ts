/**
 * Calls `open` with a signal that aborts with the first of several, until what `open` returns settles. It is
 * `AbortSignal.any` for browsers of 2023, and leaves nothing on signals that last longer.
 */
export async function withEither<Opened>(
  signals: readonly (AbortSignal | undefined)[],
  open: (signal: AbortSignal) => Promise<Opened>,
): Promise<Opened> {
  const [either, settled] = [new AbortController(), new AbortController()];
  for (const given of signals) {
    const abort = () => either.abort(given?.reason);
    if (given?.aborted) abort();
    given?.addEventListener("abort", abort, { signal: settled.signal });
  }
  try {
    return await open(either.signal);
  } finally {
    settled.abort();
  }
}
