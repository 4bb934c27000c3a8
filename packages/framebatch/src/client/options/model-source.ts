import { FramebatchError } from "../../core/errors.js";
import { describeValue } from "../../core/tensor/description.js";
import { baseUrl } from "../page/host.js";

/** Where a model comes from: its address, or its bytes. Bytes are copied; the caller's buffer is never detached. */
export type ModelSource = string | URL | ArrayBuffer | ArrayBufferView | Blob;

/** A source that can be read again, for a new worker. */
export type KeptSource = { readonly url: string } | { readonly blob: Blob };

/** @throws INVALID_OPTION for anything else. */
export function keepSource(source: ModelSource): KeptSource {
  if (typeof source === "string" || source instanceof URL) return { url: modelUrl(source) };
  if (source instanceof Blob) return { blob: source };
  if (source instanceof ArrayBuffer) return { blob: new Blob([source]) };
  if (isBufferView(source)) return { blob: new Blob([source]) };
  throw new FramebatchError(
    "INVALID_OPTION",
    `source: expected a URL, an ArrayBuffer, a typed array or a Blob, got ${describeValue(source)}; give the address of an .onnx file`,
  );
}

/**
 * Only what `fetch` can get, and no name or password: `fetch` refuses these, and they would end up in logs. The fragment
 * means nothing to a server, so it makes no other model.
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

/** Resolves against the place of the caller, since the worker's own address is another one. `name` is the option's, for the error. */
export function absoluteUrl(address: string | URL, name = "source"): string {
  try {
    return new URL(address, baseUrl()).href;
  } catch {
    throw new FramebatchError(
      "INVALID_OPTION",
      // The address itself may hold secrets, and so does the browser's own error.
      `${name}: expected a URL, got one that cannot be read; check its spelling`,
    );
  }
}

/** A Blob takes no shared memory. */
function isBufferView(source: ArrayBufferView): source is ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(source) && source.buffer instanceof ArrayBuffer;
}
