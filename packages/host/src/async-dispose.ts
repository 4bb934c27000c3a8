/** `typeof Symbol.asyncDispose`, or `never` where the compiler option `lib` does not have it. */
type AsyncDisposeSymbol = SymbolConstructor[keyof SymbolConstructor & "asyncDispose"];

/**
 * What `await using` disposes of: `AsyncDisposable`, or an empty type where the compiler option `lib` does not have it
 * (it is in ESNext.Disposable), so that the declarations compile there too.
 */
export type Disposing = { [Key in AsyncDisposeSymbol]: () => Promise<void> };

/**
 * `Symbol.asyncDispose`, the method name that `await using` calls. Safari does not have it yet; there this is the
 * symbol that compiled `await using` code falls back to.
 */
export const asyncDispose: typeof Symbol.asyncDispose =
  Reflect.get(Symbol, "asyncDispose") ?? Symbol.for("Symbol.asyncDispose");
