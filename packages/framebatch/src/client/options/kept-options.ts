interface ServerOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

interface ModelOptions {
  readonly samples?: readonly unknown[];
  readonly remote?: ServerOptions | undefined;
}

/**
 * Returns the options of a model with its own copies of what the caller may change while the code that uses it loads:
 * the samples, and the headers of requests to a server. Values that cannot be copied stay, for the checks to reject.
 */
export function keepOptions<Options extends ModelOptions | undefined>(options: Options): Options {
  if (options?.samples === undefined && options?.remote === undefined) return options;
  return {
    ...options,
    ...(options.samples !== undefined && { samples: copied(options.samples) }),
    ...(options.remote !== undefined && { remote: keepHeaders(options.remote) }),
  };
}

/** Returns the options of a server with a copy of the headers. */
export function keepHeaders<Options extends ServerOptions | undefined>(options: Options): Options {
  return options?.headers === undefined ? options : { ...options, headers: copied(options.headers) };
}

function copied<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
