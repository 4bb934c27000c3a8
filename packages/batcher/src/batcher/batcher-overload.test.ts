import { describe, expect, it } from "vitest";
import { FramebatchError } from "../errors/errors.js";
import { batching } from "../../test/support/batching.js";
import { costs } from "../../test/support/known-costs.js";

describe("maxQueueSize", () => {
  it("accepts requests up to the limit, including requests on shared rows", () => {
    const { ask, clock, outcomes, batcher } = batching({
      maxQueueSize: 3,
      release: "window",
      dedupe: true,
      contentKey: () => "",
    });
    for (const item of "abcde") ask(item);
    expect(outcomes).toEqual({});
    clock.endTask();
    expect(outcomes).toEqual({ d: "OVERLOADED", e: "OVERLOADED" });
    expect(batcher.stats().requests).toMatchObject({ offered: 5, accepted: 3, refused: { queueFull: 2, latency: 0 } });
  });

  it("accepts a request again as soon as a queued one is removed", () => {
    const { task, outcomes } = batching({ maxQueueSize: 1, release: "window" });
    const [a] = task("ab");
    a?.cancel("no more");
    task("c");
    expect(outcomes).toEqual({ a: "no more", b: "OVERLOADED" });
  });

  it("rejects before any work on an item, and gives all rejected requests of the same full queue the same error", () => {
    const { ask, batcher, clock, outcomes } = batching({ maxQueueSize: 1, release: "window" });
    const errors: unknown[] = [];
    const sink = { resolve() {}, reject: (error: unknown) => void errors.push(error) };
    expect(batcher.rejectIfFull(sink)).toBe(false);
    const a = ask("a");
    for (const isTurnedAway of [batcher.rejectIfFull(sink), batcher.rejectIfFull(sink)])
      expect(isTurnedAway).toBe(true);
    expect(errors).toEqual([]);
    clock.endTask();
    expect(errors).toEqual([expect.objectContaining({ code: "OVERLOADED" }), errors[0]]);
    expect(errors[1]).toBe(errors[0]);
    a?.cancel("no more");
    expect(batcher.rejectIfFull(sink)).toBe(false);
    ask("b");
    batcher.rejectIfFull(sink);
    clock.endTask();
    expect(errors[2]).not.toBe(errors[0]);
    expect(outcomes).toEqual({ a: "no more" });
    expect(batcher.stats().requests).toMatchObject({ offered: 5, accepted: 2, refused: { queueFull: 3, latency: 0 } });
    batcher.dispose(new FramebatchError("DISPOSED", "over"));
    expect(batcher.rejectIfFull(sink)).toBe(true);
    clock.endTask();
    expect(errors[3]).toMatchObject({ code: "DISPOSED" });
    expect(batcher.stats().requests.offered).toBe(5);
  });

  it("defect 21: accepts requests that need no room: a cached result, and a request that replaces an older one", () => {
    const contentKey = (item: string): string => item.toLowerCase();
    const options = { maxQueueSize: 1, release: "window", resultCacheSize: 4, contentKey } as const;
    const { ask, batcher, clock, engine, outcomes } = batching(options);
    ask("a");
    clock.advanceTo(10);
    engine.answer();
    ask("b", { key: "cell" });
    const sink = { resolve() {}, reject: () => expect.unreachable() };
    expect([batcher.rejectIfFull(sink), batcher.rejectIfFull(sink, { key: "cell" })]).toEqual([false, false]);
    ask("A");
    ask("c", { key: "cell" });
    ask("d");
    clock.endTask();
    expect(outcomes).toEqual({ a: "A", b: "SUPERSEDED", A: "A", d: "OVERLOADED" });
    clock.advanceTo(20);
    engine.answer();
    expect(outcomes["c"]).toBe("C");
    expect(batcher.stats().requests).toMatchObject({
      completed: 3,
      cacheHits: 1,
      refused: { queueFull: 1, latency: 0 },
    });
  });

  it("accepts a request that replaces an older one with its key before any work on the item, and rejects all others", () => {
    const { ask, batcher, clock } = batching({ maxQueueSize: 1, release: "window" });
    const errors: unknown[] = [];
    const sink = { resolve() {}, reject: (error: unknown) => void errors.push(error) };
    ask("a", { key: "cell" });
    expect(["cell", "other"].map((key) => batcher.rejectIfFull(sink, { key }))).toEqual([false, true]);
    clock.endTask();
    expect(errors).toEqual([expect.objectContaining({ code: "OVERLOADED" })]);
  });

  it("rejects with the number of queued requests in the details", () => {
    const errors: unknown[] = [];
    const { ask, batcher, clock } = batching({ maxQueueSize: 1, release: "window" });
    ask("a");
    batcher.enqueue("b", { resolve() {}, reject: (error) => void errors.push(error) });
    clock.endTask();
    expect(errors).toEqual([expect.objectContaining({ code: "OVERLOADED", details: { queued: 1, maxQueueSize: 1 } })]);
  });
});

describe("the room for streams", () => {
  /** A batcher on which only an idle engine has room for a stream. */
  const busy = (options = {}) => batching({ costData: costs(() => 30), maxLatencyMs: 40, ...options });

  it("is there, and is told, once the last running request has been rejected", () => {
    const { task, batcher } = busy();
    const [a] = task("a");
    const rooms: boolean[] = [];
    batcher.streamRoom.onChange(() => rooms.push(batcher.streamRoom.isFor("b")));
    expect(batcher.streamRoom.isFor("b")).toBe(false);
    a?.cancel("no more");
    expect(rooms).toEqual([true]);
  });

  it("is there, and is told, once the last request is answered from the cache", () => {
    const { ask, task, clock, engine, batcher } = busy({ resultCacheSize: 1, contentKey: (item: string) => item });
    task("a");
    engine.answer();
    ask("a");
    const rooms: boolean[] = [];
    batcher.streamRoom.onChange(() => rooms.push(batcher.streamRoom.isFor("b")));
    expect(batcher.streamRoom.isFor("b")).toBe(false);
    clock.endTask();
    expect(rooms).toEqual([true]);
  });
});

describe("maxLatencyMs", () => {
  /** 8 ms and 1 ms per row. With an objective of 40 ms a batch may take 20 ms, which all sizes up to 4 do. */
  const busy = (options = {}) => batching({ costData: costs((size) => 8 + size), maxLatencyMs: 40, ...options });

  it("counts batches in flight and queued requests, and rejects with the predicted latency in the details", () => {
    const errors: FramebatchError[] = [];
    const { task, batcher, clock, outcomes } = busy();
    const sink = {
      resolve() {},
      reject: (error: unknown) => void (error instanceof FramebatchError && errors.push(error)),
    };
    // One batch runs for 12 ms and another waits 12 ms for the engine. The next batch may therefore be answered after
    // 24 + 12 ms, and the batch after that at 48 ms.
    task("abcd");
    task("efgh");
    task("ijkl");
    expect(outcomes).toEqual({});
    batcher.enqueue("m", sink);
    clock.endTask();
    expect(errors[0]?.code).toBe("OVERLOADED");
    expect(errors[0]?.details["maxLatencyMs"]).toBe(40);
    expect(errors[0]?.details["predictedMs"]).toBeCloseTo(24 + 12 + 9, 6);
    expect(batcher.stats().requests.refused).toEqual({ queueFull: 0, latency: 1 });
  });

  it("counts the volume of a new request", () => {
    const volume = 100;
    const { ask, clock, outcomes } = batching({
      maxLatencyMs: 40,
      costData: costs((size) => 50 * size, [1, 2, 4], volume),
      shapeOf: () => ({ group: "", extents: [volume] }),
    });
    ask("a");
    clock.endTask();
    expect(outcomes).toEqual({ a: "OVERLOADED" });
  });

  it("rejects no request before any cost is known", () => {
    const { task, outcomes } = batching({ maxLatencyMs: 1 });
    task("abcdefgh");
    expect(outcomes).toEqual({});
  });

  it("lets single requests show that an engine is fast again, from a second after a slow run", () => {
    const { task, clock, engine, outcomes, log } = batching({ maxLatencyMs: 100 });
    task("a");
    clock.advanceTo(900);
    engine.answer();
    task("b");
    clock.advanceTo(1900);
    task("cd");
    expect(outcomes).toEqual({ a: "A", b: "OVERLOADED", d: "OVERLOADED" });
    expect(log).toEqual(["0: a (idle)", "1900: c (idle)"]);
    for (const item of "efghijklmnop") {
      clock.advanceTo(clock.now() + 5);
      engine.answer();
      task(item);
    }
    expect(
      Object.entries(outcomes)
        .filter(([, outcome]) => outcome === "OVERLOADED")
        .map(([item]) => item),
    ).toEqual(["b", "d"]);
  });

  it("asks an engine that stays too slow once a second", () => {
    const { task, clock, engine, log } = batching({ maxLatencyMs: 100, costData: costs(() => 500) });
    for (let nowMs = 0; nowMs <= 4000; nowMs += 100) {
      clock.advanceTo(nowMs);
      if (engine.open > 0 && log.at(-1)?.startsWith(`${nowMs - 500}:`) === true) engine.answer();
      task(`at ${nowMs}`[3]!);
    }
    expect(log.map((line) => line.split(":")[0])).toEqual(["1000", "2500", "4000"]);
  });

  it("starts no trial for a request that another engine may answer in time", () => {
    const { task, clock, outcomes } = batching({ maxLatencyMs: 40, costData: costs(() => 50) });
    task("a", { mayBeTrial: false });
    clock.advanceTo(5000);
    task("b", { mayBeTrial: false });
    expect(outcomes).toEqual({ a: "OVERLOADED", b: "OVERLOADED" });
  });

  it("keeps no request in a window for so long that it is late", () => {
    const tight = batching({ release: "window", maxLatencyMs: 157, costData: costs(() => 153) });
    tight.task("a");
    expect(tight.log).toEqual(["0: a (window)"]);
    // A run takes 9 ms, and timers fire up to 4 ms late.
    const patient = busy({ release: "window", maxQueueDelayMs: 50 });
    patient.task("a");
    patient.clock.advanceTo(40);
    expect(patient.log).toEqual(["27: a (window)"]);
  });

  it("asks an idle engine about an item that is far larger than any before", () => {
    const shapeOf = (item: string) => ({ group: "", extents: [item === "a" ? 1 : item === "b" ? 2 : 10] });
    const options = { maxLatencyMs: 157, costData: costs(() => 153, [1]), shapeOf };
    const { task, clock, engine, outcomes } = batching(options);
    // An item of twice the size is predicted well enough, one of ten times the size is a guess.
    task("b");
    expect(outcomes).toEqual({ b: "OVERLOADED" });
    task("c");
    task("d");
    clock.advanceTo(153);
    engine.answer();
    expect(outcomes).toEqual({ b: "OVERLOADED", d: "OVERLOADED", c: "C" });
    task("e");
    clock.advanceTo(306);
    engine.answer();
    expect(outcomes["e"]).toBe("E");
  });

  it("sheds late requests at dispatch, and dispatches the others in a batch of the same size", () => {
    const { ask, task, clock, engine, outcomes, log, batcher } = busy();
    for (const items of ["abcd", "efgh"]) task(items);
    ask("i");
    clock.endTask();
    // The engine hangs for 30 ms.
    clock.advanceTo(32);
    task("jk");
    clock.freezeUntil(34);
    for (const _ of log.slice()) engine.answer();
    clock.endTask();
    expect(outcomes["i"]).toBe("OVERLOADED");
    expect(log.at(-1)).toMatch(/^34: j k /);
    expect(batcher.stats().requests.shed).toBe(1);
  });

  it("sheds only the late request of a shared row", () => {
    const { ask, task, clock, engine, outcomes, log } = busy({
      dedupe: true,
      contentKey: (item: string) => item.toLowerCase(),
    });
    for (const items of ["abcd", "efgh"]) task(items);
    ask("i");
    clock.advanceTo(32);
    ask("I");
    clock.freezeUntil(34);
    for (const _ of log.slice()) engine.answer();
    clock.endTask();
    expect(outcomes["i"]).toBe("OVERLOADED");
    expect(log.at(-1)).toMatch(/^34: I /);
  });

  it("shrinks a batch for its leader if the requests that it excludes would be late in any case", () => {
    const { task, clock, engine, log, outcomes } = busy({ release: "window", maxQueueDelayMs: 29.5 });
    task("abc");
    // The window closes at 25 ms, 4 ms before the latest start, but its timer fires at 29.5 ms.
    clock.freezeUntil(29.5);
    clock.advanceTo(29.5);
    // With three rows the batch would end at 40.5 ms, and with two at 39.5 ms. The third request is late in both cases.
    expect(log).toEqual(["29.5: a b (window)"]);
    engine.answer();
    expect(outcomes).toEqual({ a: "A", b: "B", c: "OVERLOADED" });
  });
});
