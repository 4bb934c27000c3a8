import { FramebatchError } from "../../core/errors.js";
import { describeValue } from "../../core/tensor/description.js";
import { baseUrl } from "../page/host.js";
import { isByteView } from "./model-bytes.js";

/**
 * The source of a model or of an external file: its address, or its bytes. An address is resolved against the page (in
 * a worker, against its script) and must have the scheme https:, http:, blob: or data:. Bytes are copied before the
 * call returns, and the caller's buffer is never detached; a `Blob` is kept as it is.
 */
export type ModelSource = string | URL | ArrayBuffer | ArrayBufferView | Blob;

/** A source that can be read more than once, because every new worker reads it again. */
export type KeptSource = { readonly url: string } | { readonly blob: Blob };

/**
 * Turns a source into one that can be read again. Copies bytes.
 * @throws INVALID_OPTION when the source is of no supported type, or its address cannot be fetched.
 */
export function keepSource(source: ModelSource): KeptSource {
  if (typeof source === "string" || source instanceof URL) return { url: modelUrl(source) };
  if (source instanceof Blob) return { blob: source };
  if (source instanceof ArrayBuffer) return { blob: new Blob([source]) };
  if (isByteView(source)) return { blob: new Blob([source]) };
  throw new FramebatchError(
    "INVALID_OPTION",
    `source: expected a URL, an ArrayBuffer, a typed array or a Blob, got ${describeValue(source)}; give the address of an .onnx file`,
  );
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

/**
 * Resolves an address against the page or script of the caller, because the framebatch worker has another base URL.
 * @param name name of the option, for the error message
 * @throws INVALID_OPTION when the address is not a URL.
 */
export function absoluteUrl(address: string | URL, name = "source"): string {
  try {
    return new URL(address, baseUrl()).href;
  } catch {
    throw new FramebatchError(
      "INVALID_OPTION",
      // The message omits the address, and the error has no cause: both may contain secrets.
      `${name}: expected a URL, got one that cannot be read; check its spelling`,
    );
  }
}
