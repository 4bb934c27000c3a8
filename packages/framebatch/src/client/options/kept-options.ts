import { copyBytes } from "./model-bytes.js";

/** The options of a model that a caller may still change after the call. */
interface ChangeableOptions {
  readonly samples?: readonly unknown[] | undefined;
  readonly externalData?: unknown;
  readonly remote?: { readonly headers?: Readonly<Record<string, string>> } | undefined;
}

/**
 * Returns the options of a model with copies of its own of the samples, of the bytes of external files and of the headers of
 * requests to a server, so that the caller may change them while the code that uses them loads. If they cannot be copied, the checks reject them.
 */
export function keepOptions<Options extends ChangeableOptions | undefined>(options: Options): Options {
  try {
    return options?.remote || options?.samples || options?.externalData !== undefined
      ? {
          ...options,
          ...(options.samples && { samples: structuredClone(options.samples) }),
          ...(options.externalData !== undefined && { externalData: copyBytes(options.externalData) }),
          ...(options.remote && {
            remote: { ...options.remote, headers: structuredClone(options.remote.headers) },
          }),
        }
      : options;
  } catch {
    return options;
  }
}
