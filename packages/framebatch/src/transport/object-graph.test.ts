import { expect, it } from "vitest";
import { withoutClosed } from "./object-graph.js";

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
    const value = { text: "a", list: [object, open, 0], map: new Map([["b", object]]) };
    expect(withoutClosed(value)).toEqual({ text: "a", list: [null, open, 0], map: new Map([["b", null]]) });
  }
  expect(withoutClosed({ width: 0 })).toEqual({ width: 0 });
  expect(withoutClosed(undefined)).toBe(undefined);
});
