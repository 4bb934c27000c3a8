import { afterEach, describe, expect, it, vi } from "vitest";
import type { Outcome } from "../engine/engine.js";
import { FramebatchError } from "../errors/errors.js";
import { batching } from "../../test/support/batching.js";
import { countSetWalks } from "../../test/support/set-walks.js";

afterEach(() => void vi.restoreAllMocks());

/** A batcher whose engine logs the batches that it may stop, and answers them when the test says so. */
function stopping() {
  const stopped: string[] = [];
  const open: { items: readonly string[]; done: (outcome: Outcome<string>) => void }[] = [];
  const parts = batching({
    dedupe: true,
    contentKey: (item) => item.toLowerCase(),
    engine: {
      run({ items }, done, whenUnwanted) {
        open.push({ items, done });
        whenUnwanted(() => stopped.push(items.join("")));
      },
    },
  });
  return { ...parts, stopped, open };
}

describe("a batch that no request waits for any more", () => {
  it("is reported to the engine once its last request is aborted", () => {
    const { task, stopped } = stopping();
    const [first, second] = task("ab");
    first!.cancel("enough");
    expect(stopped).toEqual([]);
    second!.cancel("enough");
    second!.cancel("enough");
    expect(stopped).toEqual(["ab"]);
  });

  it("is wanted while one of the requests that share a row waits", () => {
    const { task, stopped } = stopping();
    const [first, second] = task("aA");
    first!.cancel("enough");
    expect(stopped).toEqual([]);
    second!.cancel("enough");
    expect(stopped).toEqual(["a"]);
  });

  // defect C10
  it("is known without a walk over the requests that share a row for each that is aborted", () => {
    const { ask, clock, stopped } = stopping();
    const tickets = Array.from({ length: 1000 }, () => ask("a"));
    clock.endTask();
    const counted = countSetWalks();
    for (const ticket of tickets.slice(1)) ticket.cancel("enough");
    expect(stopped).toEqual([]);
    tickets[0]!.cancel("enough");
    expect(stopped).toEqual(["a"]);
    expect(counted.walks).toBeLessThan(10);
  });

  it("is reported when the requests time out, and when the batcher is disposed of", () => {
    const { task, clock, batcher, stopped, outcomes } = stopping();
    task("a", { timeoutMs: 10 });
    task("b");
    clock.advanceTo(10);
    expect(stopped).toEqual(["a"]);
    batcher.dispose(new FramebatchError("DISPOSED", "over"));
    expect(stopped).toEqual(["a", "b"]);
    expect(outcomes).toEqual({ a: "TIMED_OUT", b: "DISPOSED" });
  });

  it("is not reported after it has ended", () => {
    const { task, open, stopped, outcomes } = stopping();
    const [first] = task("a");
    open[0]!.done({ error: new FramebatchError("INFERENCE_FAILED", "broken"), divisible: false });
    first!.cancel("enough");
    expect([stopped, outcomes]).toEqual([[], { a: "INFERENCE_FAILED" }]);
  });
});
