import { copyBytes } from "./model-bytes.js";

/** The options of a model that a caller may still change after the call. */
interface ChangeableOptions {
  readonly samples?: readonly unknown[] | undefined;
  readonly externalData?: unknown;
  readonly remote?: { readonly headers?: Readonly<Record<string, string>> } | undefined;
}

/**
 * Returns the options of a model with copies of the samples, of the bytes of external files and of the headers of requests to
 * a server, so that the caller may change them while the code that uses them loads. If they cannot be copied, the checks
 * reject them.
 */
export function keepOptions<Options extends ChangeableOptions | undefined>(options: Options): Options {
  try {
    const { samples, externalData, remote: given } = options ?? {};
    const remote = typeof given === "object" && given;
    // The checks see everything else as it was given.
    if (!samples && externalData === undefined && !remote) return options;
    return {
      ...options,
      ...(samples && { samples: structuredClone(samples) }),
      ...(externalData !== undefined && { externalData: copyBytes(externalData) }),
      ...(remote && { remote: { ...remote, headers: structuredClone(remote.headers) } }),
    };
  } catch {
    return options;
  }
}
