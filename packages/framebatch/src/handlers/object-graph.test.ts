import { runInNewContext, runInThisContext } from "node:vm";
import { expect, it } from "vitest";
import { transferablesIn, withoutClosed } from "./object-graph.js";

/** A bitmap or frame as far as a closed one differs from an open one. */
function media(tag: string, size: Record<string, number>): object {
  return Object.assign({ close: () => undefined, [Symbol.toStringTag]: tag }, size);
}

it("puts null in place of closed bitmaps, frames and audio, wherever they are in a value", () => {
  const open = media("ImageBitmap", { width: 3, height: 2 });
  const closed = [
    media("ImageBitmap", { width: 0, height: 0 }),
    media("VideoFrame", { codedWidth: 0 }),
    media("AudioData", { numberOfFrames: 0 }),
  ];
  for (const object of closed) {
    expect(withoutClosed(object)).toBe(null);
    const value = { text: "a", list: [object, open, 0], map: new Map([["b", object]]), set: new Set([object, open]) };
    const map = new Map([["b", null]]);
    expect(withoutClosed(value)).toEqual({ text: "a", list: [null, open, 0], map, set: new Set([null, open]) });
  }
  expect(withoutClosed({ width: 0 })).toEqual({ width: 0 });
  expect(withoutClosed(undefined)).toBe(undefined);
});

/** Objects that contain arrays and buffers in every way that is looked into. */
const PROGRAM = `({
  inner: { buffer: new ArrayBuffer(3), map: new Map([["a", new Uint8Array(4)]]) },
  set: new Set([[new BigInt64Array(1)], new (class Pixels { elements = new Float32Array(2); })()]),
})`;

it.each([
  ["this realm", runInThisContext],
  ["another realm, such as a frame", runInNewContext],
])("finds every buffer in objects of %s, once", (_, run) => {
  const value: unknown = run(PROGRAM);
  const found = transferablesIn([value, value]);
  const sizes = found.map((buffer) => ("byteLength" in buffer ? buffer.byteLength : 0));
  expect(sizes.toSorted((a, b) => a - b)).toEqual([3, 4, 8, 8]);
  structuredClone(value, { transfer: found });
  expect(transferablesIn(value)).toHaveLength(1);
});

it("leaves alone what a part of a buffer or shared memory holds, of any realm", () => {
  const program =
    "[new Uint8Array(new ArrayBuffer(4), 1), new Uint8Array(new SharedArrayBuffer(4)), new Uint8Array(0)]";
  expect(transferablesIn(runInNewContext(program))).toEqual([]);
});

it("replaces closed bitmaps in maps and sets of another realm", () => {
  const closed = media("ImageBitmap", { width: 0, height: 0 });
  const value: unknown = runInNewContext("({ map: new Map([[closed, closed]]), set: new Set([1, closed]) })", {
    closed,
  });
  expect(structuredClone(withoutClosed(value))).toEqual({ map: new Map([[null, null]]), set: new Set([1, null]) });
});
