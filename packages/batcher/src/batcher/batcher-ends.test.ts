import { describe, expect, it, vi } from "vitest";
import { enqueueAbortable } from "../calls/abortable.js";
import { FramebatchError } from "../errors/errors.js";
import { batching } from "../../test/support/batching.js";

const DISPOSED = new FramebatchError("DISPOSED", "gone");
const failed = { error: new Error("no good"), divisible: true } as const;
const gone = { error: new Error("gone for good"), divisible: false } as const;

describe("timeoutMs", () => {
  it("defect 26: never settles inside its own call, however short, and removes its listeners from the signal", () => {
    const { batcher, clock } = batching({ maxBatchSize: 1 });
    clock.advanceTo(1);
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    const errors: unknown[] = [];
    const sink = { resolve() {}, reject: (error: unknown) => void errors.push(error) };
    enqueueAbortable(batcher, "a", sink, { timeoutMs: Number.MIN_VALUE, signal: controller.signal });
    expect(errors).toEqual([]);
    clock.endTask();
    expect(errors).toEqual([expect.objectContaining({ code: "TIMED_OUT" })]);
    expect(removed).toHaveBeenCalledTimes(2);
  });

  it("rejects a queued request with TIMED_OUT exactly on time, and the engine never receives it", () => {
    const { ask, batcher, clock, outcomes, log } = batching();
    batcher.pause();
    ask("a", { timeoutMs: 20 });
    ask("b");
    clock.advanceTo(19.999);
    expect(outcomes).toEqual({});
    clock.advanceTo(20);
    expect(outcomes).toEqual({ a: "TIMED_OUT" });
    clock.advanceTo(50);
    batcher.resume();
    expect(log).toEqual(["50: b (idle)"]);
  });

  it("rejects a running request, and drops its result", () => {
    const { task, clock, engine, outcomes, batcher } = batching();
    task("ab", { timeoutMs: 20 });
    clock.advanceTo(20);
    expect(outcomes).toEqual({ a: "TIMED_OUT", b: "TIMED_OUT" });
    engine.answer();
    expect(outcomes).toEqual({ a: "TIMED_OUT", b: "TIMED_OUT" });
    expect(batcher.stats().requests).toMatchObject({ accepted: 2, timedOut: 2, completed: 0, inFlight: 0 });
  });

  it("keeps an expired request from the engine, even if its timer is late", () => {
    const { ask, clock, outcomes, log } = batching();
    ask("a", { timeoutMs: 20 });
    ask("b");
    clock.freezeUntil(21);
    clock.endTask();
    expect(outcomes).toEqual({ a: "TIMED_OUT" });
    expect(log).toEqual(["21: b (idle)"]);
  });

  it("is part of the error's details, and the earliest timeout rejects first", () => {
    const order: unknown[] = [];
    const { batcher, clock } = batching({ release: "window", maxQueueDelayMs: 500 });
    const reject = (error: unknown) => void order.push(error instanceof FramebatchError ? error.details : error);
    for (const timeoutMs of [30, 10, 20]) batcher.enqueue("x", { resolve() {}, reject }, { timeoutMs });
    clock.freezeUntil(100);
    clock.advanceTo(100);
    expect(order).toEqual([{ timeoutMs: 10 }, { timeoutMs: 20 }, { timeoutMs: 30 }]);
    expect(clock.pending).toBe(0);
  });

  it("leaves no timer once its request settles", () => {
    const { task, ask, clock, engine } = batching();
    const ticket = ask("a", { timeoutMs: 1000 });
    task("b", { timeoutMs: 500 });
    ticket.cancel("no more");
    expect(clock.pending).toBe(1);
    engine.answer();
    clock.endTask();
    expect(clock.pending).toBe(0);
  });
});

describe("an abort", () => {
  it("removes a queued request at once, and rejects it with the caller's reason", () => {
    const { ask, task, clock, outcomes, log } = batching({ release: "window" });
    const ticket = ask("a");
    task("b");
    ticket.cancel("changed my mind");
    expect(outcomes).toEqual({ a: "changed my mind" });
    clock.advanceTo(10);
    expect(log).toEqual(["10: b (window)"]);
  });

  it("drops the result of a running request, and does not affect the rest of its batch", () => {
    const { task, engine, outcomes } = batching();
    const [a] = task("ab");
    a?.cancel("too late");
    engine.answer();
    expect(outcomes).toEqual({ a: "too late", b: "B" });
  });

  it("has no effect on a settled request", () => {
    const { task, engine, outcomes, batcher } = batching();
    const [a] = task("a");
    engine.answer();
    a?.cancel("too late");
    a?.setPriority("background");
    expect(outcomes).toEqual({ a: "A" });
    expect(batcher.stats().requests.aborted).toBe(0);
  });

  it("of all queued requests cancels the timer", () => {
    const { task, clock, log } = batching({ release: "window" });
    for (const ticket of task("abc")) ticket.cancel("no more");
    expect(clock.pending).toBe(0);
    clock.advanceTo(100);
    expect(log).toEqual([]);
  });
});

describe("a batch that fails", () => {
  it("is halved until the culprit runs alone, and all other requests succeed", () => {
    const { task, engine, log, outcomes } = batching({ maxBatchSize: 8 });
    const answer = (items: readonly string[]) =>
      items.includes("f") ? failed : { results: items.map((item) => item.toUpperCase()) };
    task("abcdefgh");
    while (engine.open > 0) engine.answer(answer);
    expect(log.map((line) => line.slice(3))).toEqual([
      "a b c d e f g h (full)",
      "a b c d (retry)",
      "e f (retry)",
      "e (retry)",
      "f (retry)",
      "g h (retry)",
    ]);
    expect(outcomes).toEqual({ a: "A", b: "B", c: "C", d: "D", e: "E", f: failed.error, g: "G", h: "H" });
  });

  it("omits requests that are aborted during the search, and ends the search when none remain", () => {
    const { task, engine, log, outcomes } = batching({ maxBatchSize: 8 });
    const tickets = task("abcdefgh");
    engine.answer(() => failed);
    for (const index of [1, 4, 5]) tickets[index]?.cancel("aborted");
    engine.answer(() => failed);
    for (const index of [0, 2, 3]) tickets[index]?.cancel("aborted");
    engine.answer(() => failed);
    while (engine.open > 0) engine.answer();
    expect(log.map((line) => line.slice(3))).toEqual([
      "a b c d e f g h (full)",
      "a b c d (retry)",
      "a (retry)",
      "g h (retry)",
    ]);
    expect(outcomes).toMatchObject({ f: "aborted", g: "G", h: "H" });
  });

  it("dispatches the queue once every request of the search is aborted", () => {
    const { task, engine, log } = batching({ maxBatchSize: 2 });
    const tickets = task("abcd");
    engine.answer(() => failed);
    for (const ticket of tickets.slice(0, 2)) ticket.cancel("aborted");
    task("e");
    while (engine.open > 0) engine.answer();
    expect(log.at(-1)).toMatch(/^0: e /);
  });

  it("does not run again if it has one request", () => {
    const { task, engine, log, outcomes } = batching();
    task("a");
    engine.answer(() => failed);
    expect(log).toHaveLength(1);
    expect(outcomes).toEqual({ a: failed.error });
  });

  it("is not halved if the engine is gone for good", () => {
    const { task, engine, log, outcomes } = batching();
    task("ab");
    engine.answer(() => gone);
    expect(log).toHaveLength(1);
    expect(outcomes).toEqual({ a: gone.error, b: gone.error });
  });

  it("fails as a whole if the engine is lost during the search", () => {
    const { task, engine, outcomes } = batching();
    task("abcd");
    engine.answer(() => failed);
    engine.answer(() => gone);
    expect(outcomes).toEqual({ a: gone.error, b: gone.error, c: gone.error, d: gone.error });
    expect(engine.open).toBe(0);
  });

  it("rejects every caller if every answer has the wrong length", () => {
    const { task, engine, outcomes, batcher } = batching();
    task("ab");
    while (engine.open > 0) engine.answer(() => ({ results: ["one", "two", "three"] }));
    expect(outcomes).toEqual({ a: "INFERENCE_FAILED", b: "INFERENCE_FAILED" });
    expect(batcher.stats().batches).toMatchObject({ count: 3, failed: 3 });
  });

  it("rejects only the request whose result is an Error, with no extra run", () => {
    const { task, engine, log, outcomes } = batching();
    task("abc");
    engine.answer(() => ({ results: ["A", failed.error, "C"] }));
    expect(outcomes).toEqual({ a: "A", b: failed.error, c: "C" });
    expect(log).toHaveLength(1);
  });

  it("is searched before any queued request is dispatched", () => {
    const { task, engine, log } = batching();
    task("ab");
    task("cd");
    task("e");
    engine.answer(() => failed);
    expect(log.slice(2)).toEqual(["0: a (retry)"]);
  });
});

describe("dispose", () => {
  it.each(["queued", "in flight", "under search"])(
    "rejects requests that are %s, and drops later answers of the engine",
    (when) => {
      const { task, batcher, clock, engine, outcomes, log, frames } = batching({
        release: when === "queued" ? "window" : "idle",
      });
      task("abc");
      if (when === "under search") engine.answer(() => failed);
      batcher.dispose(DISPOSED);
      expect(outcomes).toEqual({ a: "DISPOSED", b: "DISPOSED", c: "DISPOSED" });
      const sent = log.length;
      while (engine.open > 0) engine.answer();
      clock.advanceTo(100);
      expect(log).toHaveLength(sent);
      expect([clock.pending, frames.listeners]).toEqual([0, 0]);
    },
  );

  it("rejects later requests, but not inside their own enqueue call", () => {
    const { ask, batcher, clock, outcomes } = batching();
    batcher.dispose(DISPOSED);
    ask("a");
    expect(outcomes).toEqual({});
    clock.endTask();
    expect(outcomes).toEqual({ a: "DISPOSED" });
    expect(batcher.stats().requests).toMatchObject({ offered: 0, accepted: 0 });
  });

  it("ends a search when the culprit's sink calls it, and the engine gets no further batch", () => {
    const { task, batcher, clock, engine, outcomes } = batching();
    batcher.enqueue("bad", { resolve() {}, reject: () => batcher.dispose(DISPOSED) });
    task("b");
    for (let run = 0; run < 2; run++) engine.answer(() => failed);
    clock.endTask();
    expect(engine.open).toBe(0);
    expect(outcomes).toEqual({ b: "DISPOSED" });
  });

  it("keeps the first reason when it is called twice", () => {
    const { ask, batcher, clock, outcomes } = batching();
    batcher.dispose(DISPOSED);
    batcher.dispose(new FramebatchError("WORKER_CRASHED", "later"));
    ask("a");
    clock.endTask();
    expect(outcomes).toEqual({ a: "DISPOSED" });
  });
});

describe("pause", () => {
  it("stops all dispatches until resume, even after a flush; results in flight still arrive", () => {
    const { task, batcher, clock, engine, log, outcomes } = batching();
    task("a");
    batcher.pause();
    task("bcdef");
    batcher.flush();
    engine.answer();
    clock.advanceTo(100);
    expect(log).toEqual(["0: a (idle)"]);
    expect(outcomes).toEqual({ a: "A" });
    batcher.resume();
    expect(log.slice(1).join()).toMatch(/^100: b c d e \(\w+\),100: f \(\w+\)$/);
  });

  it("also stops a search for a culprit", () => {
    const { task, batcher, engine, log } = batching();
    task("ab");
    batcher.pause();
    engine.answer(() => failed);
    expect(engine.open).toBe(0);
    batcher.resume();
    expect(log.at(-1)).toBe("0: a (retry)");
  });

  it("does not stop timeouts", () => {
    const { task, batcher, clock, outcomes } = batching();
    batcher.pause();
    task("a", { timeoutMs: 5 });
    clock.advanceTo(5);
    expect(outcomes).toEqual({ a: "TIMED_OUT" });
    expect(clock.pending).toBe(0);
  });
});

describe("statistics", () => {
  it("count how each request ended, and why each batch was dispatched", () => {
    const { task, ask, batcher, clock, engine } = batching({ maxQueueSize: 3 });
    task("abc");
    clock.advanceTo(9);
    engine.answer();
    const [d] = task("d");
    d?.cancel("no more");
    ask("e", { key: "k" });
    ask("f", { key: "k" });
    task("ghij");
    const { requests, batches, batchSize } = batcher.stats();
    expect(requests).toMatchObject({ offered: 10, refused: { queueFull: 2, latency: 0 }, completed: 3, superseded: 1 });
    expect(requests).toMatchObject({ aborted: 1, queued: 3, inFlight: 0 });
    expect(batches).toMatchObject({ count: 2, failed: 0, inFlight: 1, byReason: { idle: 2, full: 0 } });
    expect([batchSize.count, batchSize.max, batchSize.min]).toEqual([2, 3, 1]);
  });

  it("keep their sums when they are reset with requests queued and in flight", () => {
    const { task, batcher, clock, engine } = batching({ maxBatchSize: 1 });
    task("abcd");
    engine.answer();
    clock.endTask();
    batcher.resetStats();
    expect(batcher.stats().requests).toMatchObject({ accepted: 3, completed: 0, queued: 1, inFlight: 2 });
    while (engine.open > 0) {
      engine.answer();
      clock.endTask();
    }
    expect(batcher.stats().requests).toMatchObject({ accepted: 3, completed: 3, queued: 0, inFlight: 0 });
  });

  it("defect 27: count a batch in flight at a reset, so that the failed batches never exceed the dispatched ones", () => {
    const { task, batcher, engine } = batching();
    task("ab");
    batcher.resetStats();
    expect(batcher.stats().batches).toMatchObject({ count: 1, inFlight: 1, byReason: { idle: 1 } });
    engine.answer(() => gone);
    expect(batcher.stats().batches).toMatchObject({ count: 1, failed: 1, inFlight: 0 });
    expect(batcher.stats().batchSize).toMatchObject({ count: 1, mean: 2 });
  });

  it("report how busy the engine was since the first request after a reset", () => {
    const { task, batcher, clock, engine } = batching();
    const [a] = task("a");
    a?.cancel("no more");
    clock.advanceTo(10);
    batcher.resetStats();
    clock.advanceTo(20);
    engine.answer();
    clock.advanceTo(30);
    task("b");
    clock.advanceTo(40);
    engine.answer();
    clock.advanceTo(130);
    expect(batcher.stats().busyShare).toBeCloseTo(0.1, 9);
  });

  it("count overlapping batches as one busy time", () => {
    const { task, batcher, clock, engine } = batching();
    task("a");
    clock.advanceTo(5);
    task("b");
    for (const atMs of [10, 20]) {
      clock.advanceTo(atMs);
      expect(batcher.stats().busyShare).toBe(1);
      engine.answer();
    }
    clock.advanceTo(40);
    expect(batcher.stats().busyShare).toBe(0.5);
  });

  it("report queue time, run time and total time separately", () => {
    const { task, batcher, clock, engine } = batching({ release: "window" });
    task("a");
    clock.advanceTo(30);
    engine.answer();
    const { queueMs, runMs, totalMs } = batcher.stats();
    expect([queueMs.max, runMs.max, totalMs.max]).toEqual([10, 20, 30]);
  });

  it("report at least the time that the engine tells, also of answers that are handled together", () => {
    const { task, batcher, clock, engine } = batching({ release: "off" });
    task("ab");
    clock.advanceTo(10);
    const answers = (items: readonly string[]) => ({ results: [...items], inferenceMs: 4 });
    for (let run = 0; run < 2; run++) engine.answer(answers);
    const { min, max } = batcher.stats().runMs;
    expect([min, max]).toEqual([4, 10]);
  });
});
