/**
 * Where `await using` looks for what to do in the end. Safari has no `Symbol.asyncDispose` yet; what compilers make of
 * `await using` looks for this one there.
 */
export const asyncDispose: typeof Symbol.asyncDispose =
  Reflect.get(Symbol, "asyncDispose") ?? Symbol.for("Symbol.asyncDispose");
