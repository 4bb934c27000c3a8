import { copyOptions, copyValue } from "@framebatch/batcher/options/copy-options.js";
import { baseUrl } from "@framebatch/host/base-url.js";

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

/** The files of each provider, a list of files, and a file. */
const FILE_LEVELS = 3;

/** The properties of a file that are neither bytes nor an address. */
const WORDS = ["path", "integrity"];

/**
 * Copies bytes and resolves addresses at once, because the caller may change or transfer the bytes, and the page its
 * own address, while the code that uses them loads. They may be in lists and plain objects.
 * @param name that of the option
 */
export function keepFiles<Value>(value: Value, name?: string): Value;
export function keepFiles(value: unknown, name = ""): unknown {
  return copyValue(value, keepFile, FILE_LEVELS, name);
}

function keepFile(value: unknown, name: string): unknown {
  if (isBytes(value)) return blobOf(value);
  const text = typeof value === "string" || classOf(value) === "URL" ? String(value) : "";
  // The checks name a folder without a slash at its end as the caller has written it.
  const isAddress = text !== "" && !WORDS.includes(name) && (name !== "wasmPaths" || text.endsWith("/"));
  return isAddress ? resolved(text) : value;
}

/** The checks reject what is no address. On a server there is nothing to which one can be relative. */
function resolved(address: string): string {
  try {
    return new URL(address, baseUrl()).href;
  } catch {
    return address;
  }
}

/** Copies bytes. Browsers make no `Blob` of memory that may be resized, so that is copied first. */
export function blobOf(bytes: ArrayBuffer | ArrayBufferView<ArrayBuffer>): Blob {
  const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes);
  const isResizable = Reflect.get(buffer, "resizable") === true;
  return new Blob([isResizable ? buffer.slice(byteOffset, byteOffset + byteLength) : bytes]);
}

/** Returns true for memory, or a view of it, that is not shared: a `Blob` cannot be made from shared memory. */
export function isBytes(source: unknown): source is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return classOf(ArrayBuffer.isView(source) ? source.buffer : source) === "ArrayBuffer";
}

/**
 * Returns the name of the built-in class of a value; `"Object"` for a plain object. `instanceof` compares with the
 * class of this realm, but a page may pass objects of another one, such as a frame.
 */
export function classOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
