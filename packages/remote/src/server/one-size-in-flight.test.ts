import { describe, expect, it } from "vitest";
import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { Batch, Outcome } from "@framebatch/batcher/engine/engine.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ManualFrames } from "@framebatch/host/test/manual-frames.js";
import { OneSizeInFlight } from "./one-size-in-flight.js";

interface Settings {
  readonly instances?: number;
  readonly maxBatchSize?: number;
  readonly canJoin?: boolean;
  /** Whether items have several sizes. */
  readonly isVaried?: boolean;
}

interface Letter {
  readonly name: string;
  readonly shape: { readonly group: string; readonly extents: readonly number[] };
}

interface Job {
  readonly batch: Batch<Letter>;
  readonly done: (outcome: Outcome<string>) => void;
  isStopped: boolean;
}

/**
 * A batcher whose engine joins all batches that are in flight: all of them fail if an "x" or two sizes are among them.
 * Items are letters; upper-case ones have another size.
 */
function joining({ instances = 2, maxBatchSize = 1, canJoin = true, isVaried = true }: Settings = {}) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const open: Job[] = [];
  const outcomes: Record<string, unknown> = {};
  const engine = new OneSizeInFlight<Letter, string>(
    {
      run: (batch, done, whenUnwanted) => {
        const job = { batch, done, isStopped: false };
        sent.push(batch.items.map(({ name }) => name).join(""));
        open.push(job);
        whenUnwanted(() => (job.isStopped = true));
      },
    },
    { timer: clock, random: () => 1, instances, canJoin },
  );
  const batcher = new Batcher<Letter, string>({
    clock,
    frames: new ManualFrames(),
    engine,
    engines: instances,
    release: "idle",
    maxBatchSize,
    shapeOf: ({ shape }) => shape,
  });
  const task = (names: string) => {
    const tickets = Array.from(names, (name) => {
      const extents = isVaried ? [name === name.toUpperCase() ? 2 : 1] : [];
      return batcher.enqueue(
        { name, shape: { group: "", extents } },
        { resolve: (result) => (outcomes[name] = result), reject: (error) => (outcomes[name] = error) },
      );
    });
    clock.endTask();
    return tickets;
  };
  /** Answers all that is in flight as one run, and lets the time pass before items run again. */
  const answer = async (isRepeatable = true) => {
    const jobs = open.splice(0);
    const joined = jobs.flatMap(({ batch }) => batch.items.map(({ name }) => name));
    const isBad = joined.includes("x") || new Set(joined.map((name) => name === name.toUpperCase())).size > 1;
    for (const { batch, done } of jobs) {
      if (isBad) done({ error: BAD, divisible: true, isRepeatable });
      else done({ results: batch.items.map(({ name }) => `${name}!`), inferenceMs: 1 });
    }
    await Promise.resolve();
    clock.advanceTo(clock.now() + 250);
  };
  return { batcher, clock, task, answer, sent, open, outcomes };
}

const BAD = new FramebatchError("REMOTE_STATUS", "bad", { details: { status: 500 } });

describe("an engine that may join the batches in flight", () => {
  it("has batches of one size in flight only, in the order in which they come", async () => {
    const { task, answer, sent, outcomes } = joining();
    task("abCd");
    expect(sent).toEqual(["a", "b"]);
    await answer();
    expect(sent).toEqual(["a", "b", "C"]);
    await answer();
    await answer();
    expect([sent, outcomes]).toEqual([["a", "b", "C", "d"], { a: "a!", b: "b!", C: "C!", d: "d!" }]);
  });

  it("has a single batch in flight if no two can be joined", () => {
    const { task, sent } = joining({ canJoin: false });
    task("ab");
    expect(sent).toEqual(["a"]);
  });

  it("runs an item that failed beside others once more alone, so that only the bad one fails", async () => {
    const { task, answer, sent, open, outcomes } = joining({ instances: 4 });
    task("axb");
    expect(open).toHaveLength(3);
    await answer();
    expect(outcomes).toEqual({});
    while (open.length > 0) {
      expect(open).toHaveLength(1);
      await answer();
    }
    expect(sent).toEqual(["a", "x", "b", "a", "x", "b"]);
    expect(outcomes).toEqual({ a: "a!", x: BAD, b: "b!" });
  });

  it("lets a search find the bad item of a batch that failed because of another one", async () => {
    const { task, answer, open, outcomes } = joining({ maxBatchSize: 2 });
    task("abcdex");
    while (open.length > 0) await answer();
    expect(outcomes).toEqual({ a: "a!", b: "b!", c: "c!", d: "d!", e: "e!", x: BAD });
  });

  it("believes the failure of a single item with nothing beside it if it is the item's own, else asks once more", async () => {
    const { task, answer, sent, outcomes } = joining();
    task("x");
    await answer();
    expect([sent, outcomes]).toEqual([["x"], { x: BAD }]);
    const unclear = joining();
    unclear.task("x");
    await unclear.answer(false);
    await unclear.answer(false);
    expect([unclear.sent, unclear.outcomes]).toEqual([["x", "x"], { x: BAD }]);
  });

  it("never gets a batch that it does not have yet once nobody waits for it", async () => {
    const { task, answer, sent, outcomes, batcher } = joining();
    const [, held] = task("aBc");
    held!.cancel("enough");
    await answer();
    await answer();
    expect([sent, outcomes]).toEqual([["a", "c"], { a: "a!", B: "enough", c: "c!" }]);
    expect(batcher.stats().batches.inFlight).toBe(0);
  });

  it("does not run an item again for which nobody waits any more", async () => {
    const { task, answer, open, sent, outcomes, batcher, clock } = joining();
    const [first, second] = task("ax");
    first!.cancel("enough");
    for (const { done } of open.splice(0)) done({ error: BAD, divisible: true });
    second!.cancel("enough");
    await answer();
    expect([sent, outcomes, clock.pending]).toEqual([["a", "x"], { a: "enough", x: "enough" }, 0]);
    expect(batcher.stats().batches.inFlight).toBe(0);
  });

  it("ends every batch when its batcher is disposed of", async () => {
    const { task, answer, sent, batcher, outcomes } = joining();
    task("aBc");
    const error = new FramebatchError("DISPOSED", "disposed");
    batcher.dispose(error);
    await answer();
    expect([sent, outcomes]).toEqual([["a"], { a: error, B: error, c: error }]);
    expect(batcher.stats().batches.inFlight).toBe(0);
  });

  it("stops a batch for which nobody waits at once if all items have one size, else when it should have ended", () => {
    const one = joining({ isVaried: false });
    one.task("a")[0]!.cancel("enough");
    expect(one.open[0]!.isStopped).toBe(true);
    const { task, open, clock, sent } = joining();
    task("aB")[0]!.cancel("enough");
    clock.advanceTo(clock.now() + 999);
    expect([open[0]!.isStopped, sent]).toEqual([false, ["a"]]);
    clock.advanceTo(clock.now() + 1);
    expect(open[0]!.isStopped).toBe(true);
  });

  it("leaves no timer behind", async () => {
    const { task, answer, clock } = joining();
    task("a")[0]!.cancel("enough");
    await answer();
    expect(clock.pending).toBe(0);
  });
});
