import { describe, expect, it } from "vitest";
import { batching } from "../../test/support/batching.js";

/** Letters have the same content in either case: "a" and "A" are identical. */
const contentKey = (item: string): string => item.toLowerCase();
const sharing = (options = {}) => batching({ release: "window", dedupe: true, contentKey, ...options });

describe("key", () => {
  it("replaces a queued request with the newer one, and rejects the older one at once", () => {
    const { task, clock, outcomes, log } = batching({ release: "window" });
    task("a", { key: "cell" });
    task("b", { key: "other" });
    task("c", { key: "cell" });
    expect(outcomes).toEqual({ a: "SUPERSEDED" });
    clock.advanceTo(10);
    expect(log).toEqual(["10: c b (window)"]);
  });

  it("does not affect a running request", () => {
    const { task, engine, outcomes, log } = batching();
    task("a", { key: "cell" });
    task("b", { key: "cell" });
    engine.answer();
    expect(outcomes).toEqual({ a: "A" });
    expect(log).toHaveLength(2);
  });

  it("does not affect a running request that shares the row of an identical one", () => {
    const { ask, task, clock, engine, outcomes } = sharing();
    ask("a");
    ask("A", { key: "cell" });
    clock.advanceTo(10);
    expect(engine.open).toBe(1);
    task("b", { key: "cell" });
    expect(outcomes).toEqual({});
    engine.answer();
    expect(outcomes).toEqual({ a: "A", A: "A" });
  });

  it("can be used again after its request is withdrawn", () => {
    const { task, clock, outcomes, log } = batching({ release: "window" });
    const [a] = task("a", { key: "cell" });
    a?.cancel("no more");
    task("b", { key: "cell" });
    clock.advanceTo(10);
    expect(outcomes).toEqual({ a: "no more" });
    expect(log).toEqual(["10: b (window)"]);
  });
});

describe("dedupe", () => {
  it("runs identical requests as one row, and gives each its own copy of the result", () => {
    let copies = 0;
    const { ask, clock, engine, outcomes, log, batcher } = sharing({
      copyResult: (text: string) => `${text}${++copies}`,
    });
    for (const item of ["a", "A", "b"]) ask(item);
    clock.advanceTo(10);
    expect(log).toEqual(["10: a b (window)"]);
    engine.answer();
    expect(outcomes).toEqual({ a: "A", A: "A1", b: "B" });
    expect(batcher.stats().requests).toMatchObject({ completed: 3, deduplicated: 1 });
    expect(batcher.stats().batchSize.max).toBe(2);
  });

  it("keeps the row for the next identical request when the first one is withdrawn", () => {
    const { ask, clock, engine, outcomes, log } = sharing();
    const ticket = ask("a");
    ask("A");
    clock.advanceTo(1);
    ticket.cancel("no more");
    clock.advanceTo(12);
    expect(log).toEqual(["10: A (window)"]);
    engine.answer();
    expect(outcomes).toEqual({ a: "no more", A: "A" });
  });

  it("adds a later identical request to a row whose first request was withdrawn", () => {
    const { ask, clock, engine, log, batcher } = sharing();
    const ticket = ask("a");
    ask("A");
    ticket.cancel("no more");
    batcher.enqueue("a", { resolve() {}, reject() {} });
    clock.advanceTo(10);
    expect(log).toEqual(["10: A (window)"]);
    engine.answer();
    expect(batcher.stats().requests).toMatchObject({ completed: 2, deduplicated: 1, aborted: 1 });
  });

  it("removes an aborted request from its row, queued or running, and does not count it as completed", () => {
    const { ask, clock, engine, outcomes, batcher } = sharing();
    ask("a");
    const queued = ask("A");
    queued.cancel("while queued");
    const running = batcher.enqueue("a", { resolve() {}, reject: () => void (outcomes["third"] = "while running") });
    clock.advanceTo(10);
    running.cancel("while running");
    engine.answer();
    expect(outcomes).toEqual({ A: "while queued", third: "while running", a: "A" });
    expect(batcher.stats().requests).toMatchObject({ completed: 1, deduplicated: 0, aborted: 2 });
  });

  it("ends the item that runs after all others, whichever requests leave before", () => {
    const ended: string[] = [];
    const { ask, clock, engine, outcomes, log } = sharing({
      contentKey: () => "the same",
      onSettled: (item: string) => ended.push(item),
    });
    const [first, second] = ["a", "b", "c"].map((item) => ask(item));
    clock.advanceTo(10);
    expect(log).toEqual(["10: a (window)"]);
    first?.cancel("no more");
    expect(ended).toEqual(["b"]);
    second?.cancel("no more");
    expect(ended).toEqual(["b", "c"]);
    engine.answer();
    expect(ended).toEqual(["b", "c", "a"]);
    expect(outcomes).toEqual({ a: "no more", b: "no more", c: "A" });
  });

  it("does not add a request to a row that is already dispatched", () => {
    const { ask, clock, log } = sharing({ maxQueueDelayMs: 5 });
    ask("a");
    clock.advanceTo(5);
    ask("A");
    clock.advanceTo(20);
    expect(log).toEqual(["5: a (window)", "10: A (window)"]);
  });

  it("rejects every request of a row that fails", () => {
    const { ask, clock, engine, outcomes } = sharing();
    for (const item of ["a", "A"]) ask(item);
    clock.advanceTo(10);
    engine.answer(() => ({ results: [new RangeError("bad row")] }));
    expect(outcomes).toEqual({ a: new RangeError("bad row"), A: new RangeError("bad row") });
  });

  it("gives a row the priority of its most urgent request", () => {
    const { ask, task, batcher, log } = sharing({ maxBatchSize: 2 });
    batcher.pause();
    const background = ask("a", { priority: "background" });
    task("bc");
    ask("A", { priority: "user-blocking" });
    background.setPriority("background");
    batcher.resume();
    expect(log[0]).toBe("0: a b (full)");
  });

  it("moves the row when one of its requests becomes more urgent", () => {
    const { ask, task, batcher, log } = sharing({ maxBatchSize: 2 });
    batcher.pause();
    ask("a", { priority: "background" });
    const sharer = ask("A", { priority: "background" });
    task("bc");
    sharer.setPriority("user-blocking");
    batcher.resume();
    expect(log[0]).toBe("0: a b (full)");
  });

  it("defect 12: orders a row by the earliest timeout of its requests", () => {
    const { ask, task, batcher, log } = sharing({ maxBatchSize: 1, release: "idle" });
    batcher.pause();
    ask("a");
    ask("b", { timeoutMs: 500 });
    ask("A", { timeoutMs: 100 });
    task("c");
    batcher.resume();
    expect(log[0]).toMatch(/^0: a /);
  });

  it("defect 25: lowers the priority of a row when its most urgent request is withdrawn", () => {
    const { ask, task, batcher, log } = sharing({ maxBatchSize: 1, release: "idle" });
    batcher.pause();
    ask("a", { priority: "background" });
    const urgent = ask("A", { priority: "user-blocking" });
    task("b");
    urgent.cancel("no more");
    batcher.resume();
    expect(log[0]).toMatch(/^0: b /);
  });

  it("runs identical requests as separate rows when it is disabled", () => {
    const { ask, clock, log } = sharing({ dedupe: false });
    for (const item of ["a", "A"]) ask(item);
    clock.advanceTo(10);
    expect(log).toEqual(["10: a A (window)"]);
  });
});

describe("the result cache", () => {
  it("answers a repeated request after the call returns and without the engine", () => {
    const { task, clock, engine, outcomes, log, ask, batcher } = batching({ contentKey, resultCacheSize: 2 });
    task("a");
    engine.answer();
    ask("A");
    expect(outcomes).toEqual({ a: "A" });
    clock.endTask();
    expect(outcomes).toEqual({ a: "A", A: "A" });
    expect(log).toHaveLength(1);
    expect(batcher.stats().requests).toMatchObject({ accepted: 2, completed: 2, cacheHits: 1 });
    clock.endTask();
    expect(clock.pending).toBe(0);
  });

  it("gives each caller a copy, so that no caller holds the cached result", () => {
    let copies = 0;
    const copyResult = (text: string): string => `${text}${++copies}`;
    const { ask, task, clock, engine, outcomes } = batching({ contentKey, resultCacheSize: 2, copyResult });
    task("a");
    engine.answer();
    ask("A");
    clock.endTask();
    expect(outcomes).toEqual({ a: "A1", A: "A2" });
  });

  it("defect 8: answers a request that replaces an older one with its key, and the older one rejects at once", () => {
    const { ask, task, clock, engine, outcomes } = batching({ contentKey, resultCacheSize: 2, release: "window" });
    ask("a");
    clock.advanceTo(10);
    engine.answer();
    task("b", { key: "cell" });
    ask("A", { key: "cell" });
    expect(outcomes).toEqual({ a: "A", b: "SUPERSEDED" });
    clock.advanceTo(30);
    expect([outcomes["A"], engine.open, clock.pending]).toEqual(["A", 0, 0]);
  });

  it("evicts the least recently used result", () => {
    const { ask, task, clock, engine, log } = batching({ contentKey, resultCacheSize: 2, maxBatchSize: 1 });
    const run = (item: string): void => {
      task(item);
      if (engine.open > 0) engine.answer();
    };
    for (const item of "ab") run(item);
    ask("A");
    clock.endTask();
    run("c");
    ask("A");
    clock.endTask();
    expect(log).toHaveLength(3);
    ask("B");
    clock.endTask();
    expect(log).toHaveLength(4);
  });

  it("does not store a result that was computed before the results were forgotten", () => {
    const { task, engine, log, batcher } = batching({ contentKey, resultCacheSize: 2 });
    task("a");
    batcher.forgetResults();
    engine.answer();
    task("A");
    engine.answer();
    task("a");
    expect(log).toHaveLength(2);
  });

  it("stores no failed result", () => {
    const { task, engine, log } = batching({ contentKey, resultCacheSize: 2 });
    task("a");
    engine.answer(() => ({ results: [new Error("once")] }));
    task("A");
    expect(log).toHaveLength(2);
  });

  it("does not answer a request that is aborted before its result is delivered", () => {
    const { task, ask, clock, engine, outcomes, batcher } = batching({ contentKey, resultCacheSize: 2 });
    task("a");
    engine.answer();
    ask("A").cancel("no more");
    clock.endTask();
    expect(outcomes).toEqual({ a: "A", A: "no more" });
    expect(batcher.stats().requests).toMatchObject({ completed: 1, aborted: 1, inFlight: 0 });
  });
});
