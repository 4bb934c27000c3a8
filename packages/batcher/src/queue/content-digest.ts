/** A text of at most this many characters is its own key. */
const MAX_EXACT = 64;

/**
 * Makes short keys of content of any size. Equal content has equal keys. Different content has equal keys with a
 * probability of 2 ** -128 for each pair, also if somebody has chosen both: the hash has a secret key.
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

/** Finalization: as many rounds without a message as there are blocks of zeros. */
const FINAL_ROUNDS = new Int32Array(2 * 3);

/**
 * Returns SipHash-1-3 of 128 bits (Aumasson and Bernstein, 2012), as four words: who does not know the key cannot find
 * two messages with one hash. One round for each 8 bytes and three at the end, as the hash tables of Rust and Python
 * use it.
 * @param bytes the message; starts at a multiple of four bytes in its buffer
 * @param key four words
 */
export function sipHash128(bytes: Uint8Array, key: Int32Array): Int32Array {
  const state = startWith(key);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, 2 * Math.floor(bytes.length / 8));
  absorb(state, words);
  absorb(state, lastBlock(bytes));
  state[4]! ^= 0xee;
  const hash = new Int32Array(4);
  absorb(state, FINAL_ROUNDS);
  fold(state, hash, 0);
  state[2]! ^= 0xdd;
  absorb(state, FINAL_ROUNDS);
  fold(state, hash, 2);
  return hash;
}

/** The state is the words v0 to v3 of 64 bits, the low half of each first. */
function startWith([k0 = 0, k1 = 0, k2 = 0, k3 = 0]: Int32Array): Int32Array {
  const v0 = [k0 ^ 0x70736575, k1 ^ 0x736f6d65];
  const v1 = [k2 ^ 0x6e646f6d ^ 0xee, k3 ^ 0x646f7261];
  const v2 = [k0 ^ 0x6e657261, k1 ^ 0x6c796765];
  const v3 = [k2 ^ 0x79746573, k3 ^ 0x74656462];
  return Int32Array.of(...v0, ...v1, ...v2, ...v3);
}

/** Returns what is left after the last whole block, with the length of the message, modulo 256, as its last byte. */
function lastBlock(bytes: Uint8Array): Int32Array {
  const block = new Uint8Array(8);
  block.set(bytes.subarray(8 * Math.floor(bytes.length / 8)));
  block[7] = bytes.length;
  return new Int32Array(block.buffer);
}

/**
 * Adds blocks of 64 bits to the state, with a round each. A sum of 64 bits is made of two of 32: the carry of the low
 * one is the top bit of `(x & y) | ((x | y) & ~sum)`. All numbers stay integers of 32 bits, which is several times as
 * fast as a comparison of unsigned ones.
 */
function absorb(state: Int32Array, words: Int32Array): void {
  let [a = 0, ah = 0, b = 0, bh = 0, c = 0, ch = 0, d = 0, dh = 0] = state;
  for (let index = 0; index < words.length; index += 2) {
    const low = words[index]!;
    const high = words[index + 1]!;
    d ^= low;
    dh ^= high;
    // v0 += v1, v1 = rotate(v1, 13) ^ v0, v0 = rotate(v0, 32)
    let sum = (a + b) | 0;
    let sumHigh = (ah + bh + (((a & b) | ((a | b) & ~sum)) >>> 31)) | 0;
    let turned = (b << 13) | (bh >>> 19);
    bh = ((bh << 13) | (b >>> 19)) ^ sumHigh;
    b = turned ^ sum;
    a = sumHigh;
    ah = sum;
    // v2 += v3, v3 = rotate(v3, 16) ^ v2
    sum = (c + d) | 0;
    ch = (ch + dh + (((c & d) | ((c | d) & ~sum)) >>> 31)) | 0;
    c = sum;
    turned = (d << 16) | (dh >>> 16);
    dh = ((dh << 16) | (d >>> 16)) ^ ch;
    d = turned ^ c;
    // v0 += v3, v3 = rotate(v3, 21) ^ v0
    sum = (a + d) | 0;
    ah = (ah + dh + (((a & d) | ((a | d) & ~sum)) >>> 31)) | 0;
    a = sum;
    turned = (d << 21) | (dh >>> 11);
    dh = ((dh << 21) | (d >>> 11)) ^ ah;
    d = turned ^ a;
    // v2 += v1, v1 = rotate(v1, 17) ^ v2, v2 = rotate(v2, 32)
    sum = (c + b) | 0;
    sumHigh = (ch + bh + (((c & b) | ((c | b) & ~sum)) >>> 31)) | 0;
    turned = (b << 17) | (bh >>> 15);
    bh = ((bh << 17) | (b >>> 15)) ^ sumHigh;
    b = turned ^ sum;
    c = sumHigh;
    ch = sum;
    a ^= low;
    ah ^= high;
  }
  state.set([a, ah, b, bh, c, ch, d, dh]);
}

function fold(state: Int32Array, hash: Int32Array, at: number): void {
  for (const half of [0, 1]) hash[at + half] = state[half]! ^ state[half + 2]! ^ state[half + 4]! ^ state[half + 6]!;
}
