import { afterEach, describe, expect, it, vi } from "vitest";
import { batched } from "./batched.js";
import { countSetWalks } from "../../test/support/set-walks.js";

afterEach(() => void vi.restoreAllMocks());

describe("equal requests of a batched function with dedupe", () => {
  // defect C10
  it("are aborted in the queue without a walk over the others for each", async () => {
    const count = 1000;
    const options = { dedupe: true, batching: { release: "window" }, maxQueueDelayMs: 600_000 } as const;
    const ask = batched((items: readonly string[]) => items, options);
    const controller = new AbortController();
    const items = Array.from({ length: count }, () => "same");
    const outcome = expect(ask.many(items, { signal: controller.signal })).rejects.toBe("enough");
    expect(ask.stats().requests).toMatchObject({ queued: count });
    // An iterator skips each entry that was deleted before, so even the first step of one is such a walk.
    const counted = countSetWalks();
    controller.abort("enough");
    expect(counted.walks).toBeLessThan(10);
    await outcome;
    expect(ask.stats().requests).toMatchObject({ aborted: count, queued: 0, inFlight: 0 });
  });
});
