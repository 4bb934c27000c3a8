import { expect, it } from "vitest";
import { sipHash128 } from "./sip-hash.js";

/** SipHash-1-3 of 128 bits of the bytes 0, 1, 2, … by its authors' program, with the key 0, 1, 2, … 15. */
const HASHES: Readonly<Record<number, string>> = {
  0: "e77ebcb22788a5befd62db6add303001",
  1: "fc6f370460d3eda85e0573cc2b2ff063",
  7: "1084b923f2aae0c3a62f2ec80848ab77",
  8: "aa12fee1d5e3dab4724f16ab35f9c799",
  9: "81ddb8042cf33994f4720e0094137c42",
  15: "c17e5505b2bd526c2921cdec1e7e0109",
  16: "d0a8d95715518eebb513b0f83d9e1793",
  63: "4c5800e34efe426f079f6b0aa75260ad",
};

const counting = (length: number) => Uint8Array.from({ length }, (_, index) => index);

const KEY = new Int32Array(counting(16).buffer);

function hexOf(hash: Int32Array): string {
  return Array.from(new Uint8Array(hash.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

it.each(Object.entries(HASHES))("hashes %s bytes as the program of the authors does", (length, hash) => {
  expect(hexOf(sipHash128(counting(Number(length)), KEY))).toBe(hash);
});

it("hashes bytes in the middle of a buffer", () => {
  const bytes = counting(24).subarray(4, 20);
  expect(sipHash128(bytes, KEY)).toEqual(sipHash128(bytes.slice(), KEY));
  expect(sipHash128(bytes, KEY)).not.toEqual(sipHash128(bytes, KEY.toReversed()));
});
