/** Options that note who reads them once `seal` was called. */
export interface WatchedOptions<Options> {
  readonly options: Options;
  /** Notes from now on what is read. */
  seal(): void;
  /** The names of what was read since. */
  readonly late: readonly string[];
}

/** Watches an object, and the lists and plain objects in it. */
export function watchOptions<Options extends object>(given: Options): WatchedOptions<Options> {
  const late = new Set<string>();
  let isSealed = false;
  const note = (path: string) => isSealed && late.add(path);
  const watch = <Value>(value: Value, path: string): Value => {
    if (!isPlain(value)) return value;
    return new Proxy(value, {
      get: (target, name) => {
        note(`${path}.${String(name)}`);
        return watch(Reflect.get(target, name), `${path}.${String(name)}`);
      },
      has: (target, name) => (note(`${String(name)} in ${path}`), Reflect.has(target, name)),
      ownKeys: (target) => (note(`keys of ${path}`), Reflect.ownKeys(target)),
    });
  };
  return {
    options: watch(given, "options"),
    seal: () => void (isSealed = true),
    get late() {
      return [...late];
    },
  };
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
