import type { TensorType } from "@framebatch/rows/tensor/tensor.js";

/** The protocol's name of each tensor type. */
export const DATATYPES: Readonly<Record<TensorType, string>> = {
  float16: "FP16",
  float32: "FP32",
  float64: "FP64",
  int8: "INT8",
  int16: "INT16",
  int32: "INT32",
  int64: "INT64",
  uint8: "UINT8",
  uint16: "UINT16",
  uint32: "UINT32",
  uint64: "UINT64",
  bool: "BOOL",
  string: "BYTES",
};

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(DATATYPES).map(([type, datatype]) => [datatype, type]),
);

/** Returns the tensor type of a datatype of the protocol, or the datatype itself if JavaScript has no array for it. */
export function typeOf(datatype: string): string {
  return TYPES.get(datatype) ?? datatype;
}

/** Size of the length in front of each string, in bytes. */
const LENGTH_BYTES = 4;

/** Encodes strings as binary tensor data: the length of each in bytes, as 32 bits, little-endian, and its UTF-8. */
export function encodeStrings(strings: readonly string[]): Uint8Array<ArrayBuffer> {
  const texts = strings.map((text) => new TextEncoder().encode(text));
  const bytes = new Uint8Array(texts.reduce((sum, { byteLength }) => sum + LENGTH_BYTES + byteLength, 0));
  const view = new DataView(bytes.buffer);
  let offset = 0;
  for (const text of texts) {
    view.setUint32(offset, text.byteLength, true);
    bytes.set(text, offset + LENGTH_BYTES);
    offset += LENGTH_BYTES + text.byteLength;
  }
  return bytes;
}

/** Reverses `encodeStrings`. Returns `null` if the bytes do not hold exactly `count` strings. */
export function decodeStrings(bytes: Uint8Array, count: number): string[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // By default, a decoder drops a U+FEFF at the start, which belongs to the string.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const strings: string[] = [];
  let offset = 0;
  while (strings.length < count && offset + LENGTH_BYTES <= bytes.byteLength) {
    const end = offset + LENGTH_BYTES + view.getUint32(offset, true);
    if (end > bytes.byteLength) return null;
    strings.push(decoder.decode(bytes.subarray(offset + LENGTH_BYTES, end)));
    offset = end;
  }
  return strings.length === count && offset === bytes.byteLength ? strings : null;
}
