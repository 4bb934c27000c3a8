/**
 * Calls a function of the caller and passes on its one outcome: what it returns, before this returns, or what its
 * promise settles with. Whatever it does, one of the callbacks is called, once. They must not throw.
 */
export function settleCall<T>(
  call: () => T | PromiseLike<T>,
  use: (result: T) => void,
  fail: (error: unknown) => void,
): void {
  let result: T;
  try {
    const returned = call();
    // A promise of another library may settle twice, or throw instead: a promise of the language does not.
    if (isPromiseLike(returned)) return void Promise.resolve(returned).then(use, fail);
    result = returned;
  } catch (error) {
    return fail(error);
  }
  use(result);
}

/** Whether a function of the caller has returned a promise, of the language or of another library. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof Reflect.get(Object(value), "then") === "function";
}
