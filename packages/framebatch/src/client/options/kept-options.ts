import { copyOptions } from "@framebatch/batcher/options/copy-options.js";
import { keepFiles } from "./model-bytes.js";

const FILES = ["externalData", "workerUrl", "wasmPaths"] as const;

/** Options whose values are more than lists and plain objects. */
interface DeepOptions extends Partial<Record<(typeof FILES)[number], unknown>> {
  samples?: unknown;
  remote?: { readonly url?: unknown };
}

/**
 * Returns the options of a model, an engine, a server or a group as they are at the call, so that the caller may change
 * them while the code that uses them loads, and afterwards. Every call that takes such options passes them through here
 * before it returns, and reads them nowhere else. Addresses are resolved, because a page may change its own. What
 * cannot be copied is left to the checks, which reject it.
 */
export function keepOptions<Options extends object | undefined>(options: Options): Options {
  try {
    const kept = copyOptions(options);
    const deep: DeepOptions = kept ?? {};
    const { samples, remote } = deep;
    if (samples) deep.samples = structuredClone(samples);
    for (const name of FILES) if (name in deep) deep[name] = keepFiles(deep[name], name);
    if (remote?.url !== undefined) deep.remote = Object.assign(copyOptions(remote), { url: keepFiles(remote.url) });
    return kept;
  } catch {
    return options;
  }
}
