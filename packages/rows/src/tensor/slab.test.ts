import { describe, expect, it } from "vitest";
import { MAX_SHARE_BYTES, Slab } from "./slab.js";

const CHUNK = 65_536;

function take(slab: Slab, byteLength = MAX_SHARE_BYTES): Uint8Array {
  return slab.array(Uint8Array, byteLength);
}

function fill(slab: Slab): Uint8Array[] {
  return Array.from({ length: CHUNK / MAX_SHARE_BYTES }, () => take(slab));
}

describe("a slab", () => {
  it("never returns the same byte twice while its snapshots are in use", () => {
    const slab = new Slab();
    const snapshots = Array.from({ length: 100 }, (_, index) => take(slab, 1000 + index));
    for (const [index, snapshot] of snapshots.entries()) snapshot.fill(index);
    for (const [index, snapshot] of snapshots.entries()) expect(new Set(snapshot)).toEqual(new Set([index]));
  });

  it("starts every snapshot at an offset that is aligned for any typed array", () => {
    const slab = new Slab();
    expect([3, 9, 8, 1].map((byteLength) => take(slab, byteLength).byteOffset)).toEqual([0, 8, 24, 32]);
  });

  it("reuses a chunk once every snapshot in it is released", () => {
    const slab = new Slab();
    const full = fill(slab);
    const next = take(slab);
    expect(next.buffer).not.toBe(full[0]!.buffer);
    slab.release(full);
    const others = fill(slab);
    expect(others.at(-1)!.buffer).toBe(full[0]!.buffer);
  });

  it("does not reuse a chunk while one snapshot in it is in use", () => {
    const slab = new Slab();
    const [kept, ...rest] = fill(slab);
    slab.release(rest);
    const later = [...fill(slab), ...fill(slab)];
    expect(later.filter(({ buffer }) => buffer === kept!.buffer)).toEqual([]);
  });

  it("restarts at the beginning of its current chunk as soon as that is empty", () => {
    const slab = new Slab();
    slab.release([take(slab), take(slab)]);
    expect(take(slab, 8).byteOffset).toBe(0);
  });

  it("keeps a few chunks for later use, and frees the others", () => {
    const slab = new Slab();
    const chunks = Array.from({ length: 8 }, () => fill(slab));
    for (const chunk of chunks) slab.release(chunk);
    const known = new Set(chunks.map(([first]) => first!.buffer));
    const again = Array.from({ length: 8 }, () => fill(slab)[0]!.buffer);
    expect(again.filter((buffer) => known.has(buffer))).toHaveLength(5);
  });

  it("ignores memory that it does not own, string arrays, and null", () => {
    const slab = new Slab();
    take(slab, 8);
    slab.release([null, ["text"], new Uint8Array(8)]);
    expect(take(slab, 8).byteOffset).toBe(8);
  });
});
