/** The error for what exceeds its time limit. */
export class RunTimeout extends Error {
  constructor(limitMs: number) {
    super(`Expected an end within ${Number((limitMs / 1000).toPrecision(3))} s.`);
  }
}

/** Rejects if a promise takes longer than the limit, in ms. */
export async function within<Value>(promise: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RunTimeout(limitMs)), limitMs);
  });
  // What exceeds its limit rejects when the browser closes. This handler prevents an unhandled rejection.
  promise.catch(() => {});
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
