import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { limitHeaps } from "./heap-guard.js";

const PAGE_BYTES = 2 ** 16;
const NativeMemory = WebAssembly.Memory;

const memories: WebAssembly.Memory[] = [];

function create(initial: number, maximum: number): WebAssembly.Memory {
  const memory = new WebAssembly.Memory({ initial, maximum, shared: true });
  memories.push(memory);
  return memory;
}

beforeEach(() => {
  memories.length = 0;
  limitHeaps(10 * PAGE_BYTES, () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0));
});

afterEach(() => void Reflect.defineProperty(WebAssembly, "Memory", { value: NativeMemory }));

describe("limited WebAssembly memory", () => {
  it("grows up to the limit, and no further", () => {
    const memory = create(2, 65_536);
    expect(memory.grow(8)).toBe(2);
    expect(() => memory.grow(1)).toThrow(RangeError);
    expect(memory.buffer.byteLength).toBe(10 * PAGE_BYTES);
  });

  it("keeps a smaller maximum of its own", () => {
    const memory = create(0, 1);
    expect(memory.grow(1)).toBe(0);
    expect(() => memory.grow(1)).toThrow(RangeError);
  });

  it("leaves a second memory what the first one has not", () => {
    create(6, 65_536);
    const second = create(2, 65_536);
    second.grow(2);
    expect(() => second.grow(1)).toThrow(RangeError);
  });

  it("gets its initial size in any case", () => {
    const memory = create(12, 65_536);
    expect(memory.buffer.byteLength).toBe(12 * PAGE_BYTES);
    expect(() => memory.grow(1)).toThrow(RangeError);
  });
});
