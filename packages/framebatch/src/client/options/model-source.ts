import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { type ExecutionProvider, isProvider, PROVIDERS } from "../../transport/providers.js";
import { describeValue } from "@framebatch/batcher/errors/description.js";
import { blobOf, classOf, isBytes } from "./kept-options.js";
import { absoluteUrl, checkNames, isOptionsObject, isUrl } from "@framebatch/batcher/options/option-checks.js";

/**
 * The source of a model or of an external file: its address, or its bytes. An address is resolved against the page (in
 * a worker, against its script) and must have the scheme https:, http:, blob: or data:. Bytes are copied before the
 * call returns, and the caller's buffer is never detached; a `Blob` is kept as it is.
 */
export type ModelSource = string | URL | ArrayBuffer | ArrayBufferView | Blob;

/**
 * One file of the same model for each execution provider, such as `{ webgpu: "/model.fp16.onnx", wasm:
 * "/model.int8.onnx" }`. All must have the same inputs and outputs: names, types and sizes.
 */
export type SourceByProvider = Readonly<Partial<Record<ExecutionProvider, ModelSource>>>;

/** A source that can be read more than once, because every new worker reads it again. */
export type KeptSource = { readonly url: string } | { readonly blob: Blob };

/** A model whose sources can be read again: one file, or one for each provider. */
export type KeptModel = KeptSource | KeptByProvider;
export interface KeptByProvider {
  readonly byProvider: Readonly<Partial<Record<ExecutionProvider, KeptSource>>>;
}

/**
 * Turns a source, or one for each provider, into one that can be read again. Copies bytes.
 * @throws INVALID_OPTION as `keepSource`, and when a provider does not exist
 */
export function keepModel(source: ModelSource | SourceByProvider): KeptModel {
  if (!isByProvider(source)) return keepSource(source);
  checkNames(source, Object.keys(PROVIDERS), "source.");
  const given = Object.entries(source).filter(([, own]) => own !== undefined);
  return { byProvider: Object.fromEntries(given.map(([name, own]) => [name, keepSource(own, `source.${name}`)])) };
}

/** Returns what `keepModel` takes, without the caller's own bytes. */
export function sourceAgain(kept: KeptModel): ModelSource | SourceByProvider {
  if ("url" in kept) return kept.url;
  if ("blob" in kept) return kept.blob;
  return Object.fromEntries(
    Object.entries(kept.byProvider).map(([name, own]) => [name, "url" in own ? own.url : own.blob]),
  );
}

/** Any other object is rejected as a source. */
function isByProvider(source: ModelSource | SourceByProvider): source is SourceByProvider {
  const names: readonly string[] = isOptionsObject(source) ? Object.keys(source) : [];
  return names.some(isProvider);
}

/**
 * Turns a source into one that can be read again. Copies bytes.
 * @param name name of the source, for the error message
 * @throws INVALID_OPTION when the source is of no supported type, or its address cannot be fetched.
 */
export function keepSource(source: ModelSource, name = "source"): KeptSource {
  if (typeof source === "string" || isUrl(source)) return { url: modelUrl(source) };
  if (isBlob(source)) return { blob: source };
  if (isBytes(source)) return { blob: blobOf(source) };
  throw new FramebatchError(
    "INVALID_OPTION",
    `${name}: expected a URL, an ArrayBuffer, a typed array or a Blob, got ${describeValue(source)}; give the address of an .onnx file`,
  );
}

function isBlob(source: unknown): source is Blob {
  return ["Blob", "File"].includes(classOf(source));
}

/**
 * Returns the absolute URL of a model, without its fragment: servers do not see the fragment, so it does not identify a
 * different model.
 * @throws INVALID_OPTION when `fetch` does not support the scheme, or when the address holds a user name or password:
 * `fetch` rejects those, and they would appear in logs.
 */
export function modelUrl(address: string | URL): string {
  const url = new URL(absoluteUrl(address));
  if (!/^(https?|blob|data):$/.test(url.protocol)) {
    throw new FramebatchError(
      "INVALID_OPTION",
      `source: expected an address with https:, http:, blob: or data:, got one with ${url.protocol}; serve the file, or pass its bytes`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new FramebatchError(
      "INVALID_OPTION",
      "source: expected an address without a user name and password, got one with them; fetch the model with your own headers, and pass its bytes",
    );
  }
  url.hash = "";
  return url.href;
}
