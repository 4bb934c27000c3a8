import { describe, expect, it } from "vitest";
import { HeapShares } from "./group-host.js";

/** Shares in a memory that grows when the test says so. ONNX Runtime has 16 bytes. */
function sharesIn() {
  const heap = { bytes: 16 };
  const shares = new HeapShares(() => heap.bytes);
  shares.runtimeStarted();
  for (const id of [0, 1, 2]) shares.join(id);
  const grow = (owner: number | null, bytes: number) => {
    shares.turn(owner);
    heap.bytes += bytes;
    shares.turn(null);
  };
  return { shares, heap, grow };
}

describe("the shares in the memory of a worker", () => {
  it("are what it has grown by in the turns of each model", () => {
    const { shares, grow } = sharesIn();
    grow(0, 10);
    grow(1, 5);
    grow(0, 2);
    expect([shares.of(0, 0), shares.of(1, 0), shares.of(2, 0)]).toEqual([12, 5, 0]);
    expect(shares.memory).toEqual({ heapBytes: 33, runtimeBytes: 16 });
  });

  it("count what has grown while a turn lasts", () => {
    const { shares, heap } = sharesIn();
    shares.turn(0);
    heap.bytes += 7;
    expect([shares.of(0, 0), shares.memory.heapBytes]).toEqual([7, 23]);
  });

  it("do not contain ONNX Runtime, although a model waits in its turn for it to start", () => {
    const heap = { bytes: 0 };
    const shares = new HeapShares(() => heap.bytes);
    shares.join(0);
    shares.turn(0);
    heap.bytes = 16;
    shares.runtimeStarted();
    heap.bytes = 20;
    expect([shares.of(0, 0), shares.memory.runtimeBytes]).toEqual([4, 16]);
  });

  it("are at least the size of the model's files, where ONNX Runtime had room for them", () => {
    const { shares, grow } = sharesIn();
    grow(0, 2);
    expect([shares.of(0, 6), shares.of(0, 6)]).toEqual([6, 6]);
    expect(shares.memory).toEqual({ heapBytes: 18, runtimeBytes: 12 });
  });

  it("take what another model has left behind before they take what ONNX Runtime does not need", () => {
    const { shares, grow } = sharesIn();
    grow(0, 10);
    shares.leave(0);
    expect([shares.of(1, 8), shares.memory.runtimeBytes]).toEqual([8, 16]);
    expect([shares.of(2, 8), shares.memory.runtimeBytes]).toEqual([8, 10]);
  });

  it("never exceed the memory", () => {
    const { shares } = sharesIn();
    expect([shares.of(0, 1000), shares.of(1, 1000)]).toEqual([16, 0]);
    expect(shares.memory).toEqual({ heapBytes: 16, runtimeBytes: 0 });
  });

  it("leave no share to a model that has left", () => {
    const { shares, grow } = sharesIn();
    grow(0, 10);
    shares.leave(0);
    grow(0, 4);
    expect([shares.of(1, 0), shares.memory]).toEqual([0, { heapBytes: 30, runtimeBytes: 20 }]);
  });
});
