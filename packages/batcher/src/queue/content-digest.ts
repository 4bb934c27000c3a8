import { sipHash128 } from "./sip-hash.js";

/** A text of at most this many characters is its own key. */
const MAX_EXACT = 64;

/**
 * Makes short keys of content of any size. Equal content has equal keys. Different content has equal keys with a probability
 * of 2 ** -128 for each pair, also if somebody has chosen both: the hash has a secret key.
 */
export class ContentDigest {
  readonly #key: Int32Array;

  /** @param key four random words */
  constructor(key: Int32Array) {
    this.#key = key;
  }

  /** Returns the key of a text: itself if it is short, otherwise nine characters of which "#" is the first. */
  ofText(text: string): string {
    return text.length <= MAX_EXACT ? text : this.#hashOf(new Uint8Array(unitsOf(text).buffer));
  }

  /** Returns the key of the elements of an array: nine characters, or that of a text if they are strings. */
  ofElements(data: ArrayBufferView | readonly string[]): string {
    if (!ArrayBuffer.isView(data)) return this.ofText(JSON.stringify(data));
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return this.#hashOf(bytes.byteOffset % 4 === 0 ? bytes : bytes.slice());
  }

  #hashOf(bytes: Uint8Array): string {
    return `#${String.fromCharCode(...new Uint16Array(sipHash128(bytes, this.#key).buffer))}`;
  }
}

/** Returns the UTF-16 of a text. UTF-8 has no lone surrogates, so that different texts could become the same bytes. */
function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < units.length; index++) units[index] = text.charCodeAt(index);
  return units;
}
