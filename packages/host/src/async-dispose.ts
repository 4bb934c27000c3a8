/**
 * `Symbol.asyncDispose`, the method name that `await using` calls. Safari does not have it yet; there this is the
 * symbol that compiled `await using` code falls back to.
 */
export const asyncDispose: typeof Symbol.asyncDispose =
  Reflect.get(Symbol, "asyncDispose") ?? Symbol.for("Symbol.asyncDispose");
