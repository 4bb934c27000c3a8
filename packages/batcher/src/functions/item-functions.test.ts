import { describe, expect, it } from "vitest";
import { batched } from "./batched.js";

describe("what a batched function asks about its items", () => {
  // defect C11
  it.each(["shapeOf", "contentKey"])("may dispose of it: the call rejects with DISPOSED (%s)", async (name) => {
    const ask = batched((items: readonly number[]) => items, {
      dedupe: true,
      [name]: () => {
        void ask.dispose();
        return name === "shapeOf" ? { group: "", extents: [] } : "key";
      },
    });
    await expect(ask(1)).rejects.toMatchObject({ code: "DISPOSED" });
    expect(ask.stats().requests).toMatchObject({ accepted: 0, queued: 0, inFlight: 0 });
  });

  // defect C17
  it("may be told in one list for all items", async () => {
    const extents = [0];
    const shape = { group: "", extents };
    const ask = batched((items: readonly number[]) => items.map((item) => -item), {
      batching: { release: "window" },
      maxQueueDelayMs: 1,
      maxBatchSize: 4,
      shapeOf: (item) => {
        extents[0] = item;
        return shape;
      },
    });
    const controller = new AbortController();
    const aborted = ask(1000, { signal: controller.signal });
    const asked = [1, 2000, 10, 1, 30_000, 500, 3].map((item) => ask(item));
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    expect(await Promise.all(asked)).toEqual([-1, -2000, -10, -1, -30_000, -500, -3]);
    expect(ask.stats().requests).toMatchObject({ completed: 7, aborted: 1, queued: 0, inFlight: 0 });
  });
});
