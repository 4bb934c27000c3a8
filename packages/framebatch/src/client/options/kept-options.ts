import { copyOptions } from "@framebatch/batcher/options/copy-options.js";
import { copyBytes } from "./model-bytes.js";

/** Options whose values are more than lists and plain objects. */
interface DeepOptions {
  readonly samples?: unknown;
  readonly externalData?: unknown;
}

/**
 * Returns the options of a model, an engine, a server or a group as they are at the call, so that the caller may change them
 * while the code that uses them loads, and afterwards. Every call that takes such options passes them through here before it
 * returns, and reads them nowhere else. What cannot be copied is left to the checks, which reject it.
 */
export function keepOptions<Options extends object | undefined>(options: Options): Options {
  try {
    const kept = copyOptions(options);
    const { samples, externalData }: DeepOptions = kept ?? {};
    if (samples) Object.assign(kept ?? {}, { samples: structuredClone(samples) });
    if (externalData !== undefined) Object.assign(kept ?? {}, { externalData: copyBytes(externalData) });
    return kept;
  } catch {
    return options;
  }
}
