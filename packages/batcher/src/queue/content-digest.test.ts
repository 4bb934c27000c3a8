import { describe, expect, it } from "vitest";
import { ContentDigest } from "./content-digest.js";

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
