import { describe, expect, it } from "vitest";
import { ContentDigest, sipHash128 } from "./content-digest.js";

const digest = new ContentDigest(Int32Array.of(1, 2, 3, 4));

const bytes = (length: number, last = 0) =>
  Uint8Array.from({ length }, (_, index) => (index === length - 1 ? last : index));

describe("the key of content", () => {
  it("stays short, however large the content is", () => {
    const sizes = [0, 1, 3, 128, 129, 1000, 1_000_001];
    for (const size of sizes) {
      expect(digest.ofElements(bytes(size)).length).toBeLessThanOrEqual(64);
      expect(digest.ofText("x".repeat(size)).length).toBeLessThanOrEqual(64);
    }
    expect(digest.ofElements(Array.from({ length: 100 }, () => "a text")).length).toBe(9);
  });

  it.each([1, 7, 128, 129, 1000, 4096])("tells %i bytes from others of that size", (size) => {
    const keys = new Set(Array.from({ length: 256 }, (_, last) => digest.ofElements(bytes(size, last))));
    expect(keys.size).toBe(256);
  });

  it.each([5, 200])("tells %i characters from others, also halves of one", (size) => {
    const ends = ["a", "b", "\ud83d", "\ude00", "\ufffd", ""];
    const keys = ends.map((end) => digest.ofText("x".repeat(size) + end));
    expect(new Set(keys).size).toBe(ends.length);
    expect(digest.ofText("x".repeat(size))).toBe(keys.at(-1));
  });

  it.each([100, 1001])("is equal for equal bytes wherever they are (%i)", (size) => {
    const expected = digest.ofElements(bytes(size));
    for (const start of [1, 2, 3, 4]) {
      const elsewhere = new Uint8Array(size + 8);
      elsewhere.set(bytes(size), start);
      expect(digest.ofElements(elsewhere.subarray(start, start + size))).toBe(expected);
    }
  });

  it("differs with the secret", () => {
    expect(new ContentDigest(Int32Array.of(1, 2, 3, 5)).ofElements(bytes(1000))).not.toBe(
      digest.ofElements(bytes(1000)),
    );
  });
});

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
  const inside = counting(24).subarray(4, 20);
  expect(sipHash128(inside, KEY)).toEqual(sipHash128(inside.slice(), KEY));
  expect(sipHash128(inside, KEY)).not.toEqual(sipHash128(inside, KEY.toReversed()));
});
