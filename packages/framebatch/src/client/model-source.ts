import { FramebatchError } from "../core/errors.js";
import type { ModelLocation } from "../core/protocol.js";
import { describeValue } from "../core/tensor-description.js";

/** Where a model comes from: its address, or its bytes. Bytes are copied; the caller's buffer is never detached. */
export type ModelSource = string | URL | ArrayBuffer | ArrayBufferView | Blob;

/** A source that can be read again, for a new worker. */
export type KeptSource = { readonly url: string } | { readonly blob: Blob };

/** @throws INVALID_OPTION for anything else. */
export function keepSource(source: ModelSource): KeptSource {
  if (typeof source === "string" || source instanceof URL) return { url: absoluteUrl(source) };
  if (source instanceof Blob) return { blob: source };
  if (source instanceof ArrayBuffer) return { blob: new Blob([source]) };
  if (isBufferView(source)) return { blob: new Blob([source]) };
  throw new FramebatchError(
    "INVALID_OPTION",
    `source: expected a URL, an ArrayBuffer, a typed array or a Blob, got ${describeValue(source)}; give the address of an .onnx file`,
  );
}

/** A location whose bytes, if any, are a fresh copy that may be transferred. */
export async function locate(source: KeptSource): Promise<ModelLocation> {
  return "url" in source ? source : { bytes: await source.blob.arrayBuffer() };
}

/** Resolves against the page, since the worker's own address is another one. `name` is the option's, for the error. */
export function absoluteUrl(address: string | URL, name = "source"): string {
  try {
    return new URL(address, globalThis.document?.baseURI ?? location.href).href;
  } catch (error) {
    throw new FramebatchError(
      "INVALID_OPTION",
      `${name}: expected a URL, got ${describeValue(address)}; check its spelling`,
      { cause: error },
    );
  }
}

/** A Blob takes no shared memory. */
function isBufferView(source: ArrayBufferView): source is ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(source) && source.buffer instanceof ArrayBuffer;
}
