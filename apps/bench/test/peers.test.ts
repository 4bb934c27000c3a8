import { expose } from "comlink";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { spread } from "../runner/print/spread.js";
import { oneByOne, openPeer } from "../src/lanes/peer-session.js";
import type { BenchModel } from "../src/models.js";
import { fullBatches } from "../src/ort/full-batches.js";
import { stackItems } from "../src/ort/stack-items.js";
import type { BenchItem } from "../src/ort/tensors.js";

const MODEL: BenchModel = { name: "mine", url: "/mine.onnx", inputs: [] };

/** A worker of this host; of none, one that cannot be loaded. */
function workerOf(host: object | null) {
  const { port1, port2 } = new MessageChannel();
  if (host === null) setTimeout(() => port1.dispatchEvent(new Event("error")));
  else expose(host, port2);
  const terminate = vi.fn(() => port1.close());
  return { terminate, open: () => openPeer(MODEL, "wasm", oneByOne, () => Object.assign(port1, { terminate })) };
}

describe("a lane with a worker by hand", () => {
  beforeEach(() => {
    vi.stubGlobal("location", { href: "http://localhost/" });
    vi.stubGlobal("ErrorEvent", class extends Event {});
  });
  afterEach(() => void vi.unstubAllGlobals());

  it("fails if its worker cannot be loaded, instead of waiting for it, and leaves none", async () => {
    const { open, terminate } = workerOf(null);
    await expect(open()).rejects.toThrow("The worker of the lane failed: it could not be loaded.");
    expect(terminate).toHaveBeenCalledOnce();
  });

  it("leaves no worker if the model cannot be opened", async () => {
    const { open, terminate } = workerOf({ open: () => Promise.reject(new Error("no model")) });
    await expect(open()).rejects.toThrow("no model");
    expect(terminate).toHaveBeenCalledOnce();
  });

  it("opens, and keeps its worker until it closes", async () => {
    const { open, terminate } = workerOf({ open: () => Promise.resolve() });
    const lane = await open();
    expect(terminate).not.toHaveBeenCalled();
    await lane.close();
    expect(terminate).toHaveBeenCalledOnce();
  });
});

describe("the batches of the limit", () => {
  const item = (...dims: readonly number[]): BenchItem => {
    const data = new Float32Array(dims.reduce((product, size) => product * size, 1));
    return { x: { type: "float32", dims, data } };
  };
  const sizesOf = (batches: readonly (readonly BenchItem[])[]) => batches.map((batch) => batch.map(({ x }) => x!.dims));

  it("are full, and have items of similar length", () => {
    expect(sizesOf(fullBatches([item(2), item(3), item(5)], 2))).toEqual([
      [[2], [3]],
      [[5], [2]],
    ]);
  });

  it("have items that can be stacked", () => {
    const batches = fullBatches([item(3, 2), item(3, 4), item(3, 2)], 2);
    expect(sizesOf(batches)).toEqual([
      [
        [3, 2],
        [3, 2],
      ],
      [
        [3, 4],
        [3, 4],
      ],
    ]);
    for (const batch of batches) expect(() => stackItems(batch)).not.toThrow();
  });
});

describe("the spread of values", () => {
  it("is the median with the lowest and the highest, or dashes if the system does not tell", () => {
    expect(spread([3, 1, 2])).toBe("2.00 (1.00 to 3.00)");
    expect(spread([Number.NaN])).toBe("– (– to –)");
  });
});
