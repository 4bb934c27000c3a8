import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { bytesOf, type CacheRow, joinRows, type Side } from "./cache-rows.js";

/** [outer, batch, heads, positions, size]: the batch is the second axis. */
const GROWS = { axis: 3, batchAxis: 1, grows: true };
/** [outer, batch, positions] */
const FIXED = { axis: 2, batchAxis: 1, grows: false };
const [OUTER, HEADS, SIZE] = [2, 3, 2];

/** The element of a text: tells what it is of. */
function element(text: number, outer: number, head: number, position: number, at: number): number {
  return (((text * OUTER + outer) * HEADS + head) * 64 + position) * SIZE + at;
}

/** Returns the cache of one text, which has `length` positions, and is given fewer than 4. */
function cacheOf(text: number, length: number): CacheRow {
  const tensors = [tensorOf([text], [length], length, "left"), fixedOf([text])];
  return { tensors, held: [], row: 0, length, givenLength: givenTo(text) };
}

function givenTo(text: number): number {
  return text % 4;
}

function tensorOf(texts: readonly number[], lengths: readonly number[], longest: number, side: Side): Tensor {
  const data = new Float32Array(OUTER * texts.length * HEADS * longest * SIZE);
  let index = 0;
  for (let outer = 0; outer < OUTER; outer++) {
    for (const [row, text] of texts.entries()) {
      const padding = side === "left" ? longest - lengths[row]! : 0;
      for (let head = 0; head < HEADS; head++) {
        for (let place = 0; place < longest; place++) {
          for (let at = 0; at < SIZE; at++) {
            const position = place - padding;
            const isOwn = position >= 0 && position < lengths[row]!;
            data[index++] = isOwn ? element(text, outer, head, position, at) : 0;
          }
        }
      }
    }
  }
  return { type: "float32", dims: [OUTER, texts.length, HEADS, longest, SIZE], data };
}

/** Returns what the texts are given: padded on the right to the longest of them. */
function fixedOf(texts: readonly number[]): Tensor {
  const longest = Math.max(...texts.map(givenTo));
  const rowOf = (text: number, outer: number) =>
    Array.from({ length: longest }, (_, place) => (place < givenTo(text) ? text * 100 + outer * 10 + place + 1 : 0));
  const data = Array.from({ length: OUTER }, (_, outer) => texts.map((text) => rowOf(text, outer))).flat(2);
  return { type: "float32", dims: [OUTER, texts.length, longest], data: Float32Array.from(data) };
}

describe("joinRows", () => {
  it("gives each text its own positions, on either side, however texts join and leave", () => {
    const texts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
    const picks = fc.array(fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 6 }), { maxLength: 4 });
    fc.assert(
      fc.property(texts, picks, fc.constantFrom<Side>("left", "right"), (lengths, rounds, side) => {
        let rows = lengths.map((length, text) => ({ text, cache: cacheOf(text, length) }));
        for (const picked of [[...lengths.keys()], ...rounds]) {
          const kept = [...new Set(picked)].flatMap((index) => rows[index] ?? []);
          if (kept.length === 0) continue;
          const tensors = joinRows(
            [GROWS, FIXED],
            kept.map(({ cache }) => cache),
            side,
          );
          rows = kept.map(({ text, cache }, row) => ({ text, cache: { ...cache, tensors, row } }));
          const own = rows.map(({ cache }) => cache.length);
          const all = rows.map(({ text }) => text);
          expect(tensors).toEqual([tensorOf(all, own, Math.max(...own), side), fixedOf(all)]);
        }
      }),
    );
  });

  it("copies nothing while the texts of a batch stay the same", () => {
    const tensors = [tensorOf([0, 1], [4, 2], 4, "left"), fixedOf([0, 1])];
    const rows = [0, 1].map((row) => ({
      tensors,
      held: [],
      row,
      length: row === 0 ? 4 : 2,
      givenLength: givenTo(row),
    }));
    expect(joinRows([GROWS, FIXED], rows, "left")).toBe(tensors);
    expect(joinRows([GROWS, FIXED], rows.slice(0, 1), "left")).not.toBe(tensors);
    expect(joinRows([GROWS, FIXED], rows.toReversed(), "left")).not.toBe(tensors);
  });

  it("counts the bytes of a batch once", () => {
    const tensors = [tensorOf([0, 1], [4, 2], 4, "left")];
    const rows = [0, 1].map((row) => ({ tensors, held: [], row, length: 2, givenLength: 0 }));
    expect(bytesOf(rows)).toBe(OUTER * 2 * HEADS * 4 * SIZE * 4);
    expect(bytesOf([...rows, { tensors: [fixedOf([2])], held: [], row: 0, length: 1, givenLength: 2 }])).toBe(
      OUTER * 2 * HEADS * 4 * SIZE * 4 + OUTER * 2 * 4,
    );
  });
});
