/** `typeof Symbol.asyncDispose`, or `never` where the compiler option `lib` does not have it. */
type AsyncDisposeSymbol = SymbolConstructor[keyof SymbolConstructor & "asyncDispose"];

/**
 * What `await using` disposes of: `AsyncDisposable`, or an empty type where the compiler option `lib` does not have it
 * (it is in ESNext.Disposable), so that the declarations compile there too.
 */
export type Disposing = { [Key in AsyncDisposeSymbol]: () => Promise<void> };
