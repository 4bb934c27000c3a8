import { describe, expect, it } from "vitest";
import type { CostModelData } from "../cost/cost-model.js";
import { batching } from "../../test/support/batching.js";
import { costs } from "../../test/support/known-costs.js";

/** 8 ms and 1 ms per row. Frames are 16 ms apart, so a single request made at 1 ms can be painted at 16 ms. */
const knownMs = (size: number): number => 8 + size;
const KNOWN = costs(knownMs);

describe("a burst", () => {
  it("made in one task is one batch", () => {
    const { task, log } = batching();
    task("abc");
    expect(log).toEqual(["0: a b c (idle)"]);
  });

  it("made across microtasks is one batch", () => {
    const { ask, clock, log } = batching();
    ask("a");
    clock.afterMicrotasks(() => {
      ask("b");
      clock.afterMicrotasks(() => void ask("c"));
    });
    expect(log).toEqual([]);
    clock.endTask();
    expect(log).toEqual(["0: a b c (idle)"]);
  });

  it("that fills a batch is dispatched during its task, and its remaining items after the task", () => {
    const { ask, clock, log } = batching();
    for (const item of "abcd") ask(item);
    expect(log).toEqual(["0: a b c d (full)"]);
    ask("e");
    expect(log).toHaveLength(1);
    clock.endTask();
    expect(log).toEqual(["0: a b c d (full)", "0: e (idle)"]);
  });

  it("larger than two batches keeps two batches in flight, and the rest in order", () => {
    const { task, clock, engine, log } = batching();
    task("abcdefghijkl");
    expect(log).toEqual(["0: a b c d (full)", "0: e f g h (full)"]);
    clock.advanceTo(9);
    engine.answer();
    expect(log.slice(2)).toEqual(["9: i j k l (full)"]);
  });

  it("keeps two batches in flight for each of two engines", () => {
    const { task, log } = batching({ engines: 2, maxBatchSize: 1 });
    task("abcdef");
    expect(log).toHaveLength(4);
  });
});

describe("a burst on its own that gains less than an eighth by a batch", () => {
  /** Dispatches four requests, answers the first, and makes one more, at once or in a later task. */
  function answerOne(isReturn: boolean) {
    const { task, ask, clock, engine, log } = batching({ costData: costs((size) => 0.5 + 3 * size) });
    task("abcd");
    clock.advanceTo(3.5);
    engine.answer();
    if (isReturn) ask("e");
    clock.endTask();
    return log;
  }

  it("is answered one by one", () => {
    expect(answerOne(false)).toEqual(["0: a (full)", "3.5: b (full)"]);
  });

  it("is served at the best rate once a caller returns, as in a closed loop", () => {
    expect(answerOne(true)).toEqual(["0: a (full)", "3.5: b c d e (full)"]);
  });
});

describe("a burst on two engines", () => {
  /** Dispatches a burst of eight after two runs, of which the second took 0.5 ms outside inference. */
  function burstOn(costData: CostModelData): string[] {
    const { task, clock, engine, log } = batching({ engines: 2, maxBatchSize: 16, costData });
    for (const item of "yz") {
      task(item);
      clock.advanceTo(clock.now() + knownRunMs(costData) + 0.5);
      engine.answer((items) => ({ results: items, inferenceMs: knownRunMs(costData) }));
    }
    task("abcdefgh");
    return log.slice(2).map((line) => line.slice(line.indexOf(" ") + 1, line.indexOf(" (")));
  }

  function knownRunMs({ shapes }: CostModelData): number {
    return shapes[0]?.meanMs ?? 0;
  }

  it("is divided among them", () => {
    expect(burstOn(costs((size) => 8 + 0.5 * size))).toEqual(["a b c d", "e f g h"]);
  });

  it("runs on one of them if dividing it saves less than the messages of a run take", () => {
    expect(burstOn(costs((size) => 0.1 + 0.01 * size))).toEqual(["a b c d e f g h"]);
  });
});

describe("a run with rows of others", () => {
  it("is learned with the number of its rows", () => {
    const { batcher, task, clock, engine } = batching();
    task("ab");
    clock.advanceTo(6);
    engine.answer((items) => ({ results: items, rows: 4 }));
    expect(batcher.costData().shapes).toMatchObject([{ size: 4, meanMs: 6 }]);
  });
});

describe("a single caller", () => {
  it("that makes its next request on its result is served before the task ends", () => {
    const { task, ask, clock, engine, log } = batching();
    task("a");
    clock.advanceTo(9);
    engine.answer();
    ask("b");
    expect(log).toHaveLength(1);
    clock.endTask();
    expect(log).toEqual(["0: a (idle)", "9: b (idle)"]);
  });

  it("that makes its next request is dispatched even if not all answered callers have made theirs", () => {
    const { task, ask, clock, engine, log } = batching();
    task("ab");
    clock.advanceTo(9);
    engine.answer();
    ask("c");
    expect(log).toHaveLength(1);
    clock.endTask();
    expect(log).toEqual(["0: a b (idle)", "9: c (idle)"]);
  });
});

const ROUNDS = 32;
const ROUND_MS = 64;

/**
 * A batcher with release `frame` that has learned that new requests arrive independently while a batch waits. Its clock
 * and its log restart at 0, at a frame boundary.
 */
function framed() {
  const { clock, task, engine, log, ...rest } = batching({ release: "frame", costData: KNOWN });
  const startMs = ROUNDS * ROUND_MS;
  const answerInTime = (): void => {
    const dispatchedAtMs = Number.parseFloat(log.at(-1) ?? "");
    clock.advanceTo(dispatchedAtMs + knownMs(engine.batches.at(-1)?.items.length ?? 0));
    engine.answer();
  };
  for (let fromMs = 0; fromMs < startMs; fromMs += ROUND_MS) {
    clock.advanceTo(fromMs + 1);
    task("p");
    clock.advanceTo(fromMs + 3);
    task("qr");
    while (Object.keys(rest.outcomes).length < 3) {
      if (engine.open === 0) clock.advanceTo(clock.now() + 1);
      else answerInTime();
    }
    for (const item of "pqr") delete rest.outcomes[item];
  }
  clock.advanceTo(startMs);
  const learned = log.length;
  const relative = (line: string): string => {
    const [, ms = "", what = ""] = /^([\d.]+): (.*)$/.exec(line) ?? [];
    return `${Number((Number(ms) - startMs).toFixed(3))}: ${what}`;
  };
  return {
    ...rest,
    task,
    engine,
    clock,
    advanceTo: (ms: number) => clock.advanceTo(startMs + ms),
    freezeUntil: (ms: number) => clock.freezeUntil(startMs + ms),
    log: () => log.slice(learned).map(relative),
  };
}

describe("release: frame", () => {
  it("dispatches the batch at its latest start, and not one tick before", () => {
    const { task, log, advanceTo } = framed();
    advanceTo(1);
    task("a");
    // One more request could join and still be painted at 16 ms, until 16 - t(2).
    advanceTo(5.999);
    expect(log()).toEqual([]);
    advanceTo(6);
    expect(log()).toEqual(["6: a (frame)"]);
  });

  it("adds a request that arrives during the wait, and dispatches earlier by its run time", () => {
    const { task, log, advanceTo } = framed();
    advanceTo(1);
    task("a");
    advanceTo(2);
    task("b");
    advanceTo(4.999);
    expect(log()).toEqual([]);
    advanceTo(5);
    expect(log()).toEqual(["5: a b (frame)"]);
  });

  it("dispatches at once when the batch is full", () => {
    const { task, log, advanceTo } = framed();
    advanceTo(1);
    task("a");
    advanceTo(2);
    task("bcd");
    expect(log()).toEqual(["2: a b c d (full)"]);
  });

  it("keeps a margin by which an answer has missed its frame, such as after a late timer", () => {
    const { task, engine, log, advanceTo, freezeUntil } = framed();
    advanceTo(1);
    task("a");
    freezeUntil(7.5);
    advanceTo(7.5);
    expect(log()).toEqual(["7.5: a (frame)"]);
    advanceTo(16.5);
    engine.answer();
    advanceTo(33);
    task("b");
    // The answer missed the frame at 16 by half a millisecond: 48 - t(2) - 0.5.
    advanceTo(37.499);
    expect(log()).toHaveLength(1);
    advanceTo(37.501);
    expect(log()).toEqual(["7.5: a (frame)", "37.5: b (frame)"]);
  });

  it("waits for a new frame after a pause, and not for one that has passed", () => {
    const { task, batcher, log, advanceTo } = framed();
    advanceTo(1);
    task("a");
    batcher.pause();
    advanceTo(33);
    batcher.resume();
    expect(log()).toEqual([]);
    advanceTo(38);
    expect(log()).toEqual(["38: a (frame)"]);
  });

  it("dispatches at once before any cost is known", () => {
    const { task, clock, log } = batching({ release: "frame" });
    clock.advanceTo(1);
    task("a");
    expect(log).toEqual(["1: a (idle)"]);
  });

  it("dispatches at once until it sees arrivals that do not follow an answer", () => {
    const { task, clock, log } = batching({ release: "frame", costData: KNOWN });
    clock.advanceTo(1);
    task("a");
    expect(log).toEqual(["1: a (idle)"]);
  });

  it("stops waiting after waits that no request joins", () => {
    const { task, engine, log, advanceTo } = framed();
    for (let frame = 0; frame < 40; frame++) {
      advanceTo(frame * 64 + 1);
      task("a");
      advanceTo(frame * 64 + 40);
      if (engine.open > 0) engine.answer();
    }
    expect(log()[0]).toBe("6: a (frame)");
    expect(log().at(-1)).toBe(`${39 * 64 + 1}: a (idle)`);
  });

  it("works like idle in a hidden tab, and dispatches the queue when the tab is hidden", () => {
    const { task, frames, engine, log, advanceTo, clock } = framed();
    advanceTo(1);
    task("a");
    advanceTo(2);
    frames.set(true);
    expect(log()).toEqual(["2: a (idle)"]);
    advanceTo(11);
    engine.answer();
    advanceTo(12);
    task("b");
    expect(log()).toEqual(["2: a (idle)", "12: b (idle)"]);
    expect(clock.pending).toBe(0);
  });
});

describe("release: window", () => {
  it("counts from the oldest request, and never restarts", () => {
    const { task, clock, log } = batching({ release: "window", maxQueueDelayMs: 10 });
    task("a");
    clock.advanceTo(9);
    task("b");
    clock.advanceTo(9.999);
    expect(log).toEqual([]);
    clock.advanceTo(10);
    expect(log).toEqual(["10: a b (window)"]);
  });

  it("counts from the next request when the oldest is removed from the queue", () => {
    const { task, clock, log } = batching({ release: "window", maxQueueDelayMs: 10 });
    const [a] = task("a");
    clock.advanceTo(4);
    task("b");
    a?.cancel("no more");
    clock.advanceTo(13.999);
    expect(log).toEqual([]);
    clock.advanceTo(14);
    expect(log).toEqual(["14: b (window)"]);
  });

  it("counts from an identical request that takes over the row of the oldest", () => {
    const { task, ask, clock, log } = batching({
      release: "window",
      maxQueueDelayMs: 10,
      dedupe: true,
      contentKey: (item) => item.toLowerCase(),
    });
    const [a] = task("a");
    clock.advanceTo(3);
    ask("A");
    clock.endTask();
    clock.advanceTo(5);
    task("b");
    a?.cancel("no more");
    clock.advanceTo(12.999);
    expect(log).toEqual([]);
    clock.advanceTo(13);
    expect(log[0]).toMatch(/^13: .*\(window\)$/);
  });

  it("defaults to 10 ms, and dispatches a full batch at once", () => {
    const { task, clock, log } = batching({ release: "window" });
    task("abcde");
    expect(log).toEqual(["0: a b c d (full)"]);
    clock.advanceTo(10);
    expect(log).toEqual(["0: a b c d (full)", "10: e (window)"]);
  });
});

describe("release: off", () => {
  it("dispatches each request alone and at once", () => {
    const { ask, log } = batching({ release: "off" });
    for (const item of "abc") ask(item);
    expect(log).toEqual(["0: a (unbatched)", "0: b (unbatched)", "0: c (unbatched)"]);
  });
});

describe("flush", () => {
  it("dispatches the queue, and does not affect later requests", () => {
    const { task, batcher, clock, log } = batching({ release: "window" });
    task("ab");
    batcher.flush();
    task("c");
    expect(log).toEqual(["0: a b (flush)"]);
    clock.advanceTo(10);
    expect(log).toEqual(["0: a b (flush)", "10: c (window)"]);
  });

  it("ends when the requests that it covers are withdrawn", () => {
    const { task, batcher, clock, engine, log } = batching({ release: "window", maxBatchSize: 2 });
    task("abcd");
    const [e] = task("e");
    batcher.flush();
    e?.cancel("no more");
    for (const _ of log) engine.answer();
    task("f");
    expect(log).toEqual(["0: a b (full)", "0: c d (full)"]);
    clock.advanceTo(10);
    expect(log.at(-1)).toBe("10: f (window)");
  });

  it("dispatches the remaining requests as soon as one of two batches in flight is answered", () => {
    const { task, batcher, clock, engine, log } = batching({ release: "window", maxBatchSize: 2 });
    task("abcde");
    batcher.flush();
    expect(log).toHaveLength(2);
    clock.advanceTo(1);
    engine.answer();
    clock.endTask();
    expect(log.at(-1)).toBe("1: e (flush)");
  });
});

describe("just-in-time dispatch", () => {
  it("forms the second batch one handover before the first is due to end", () => {
    const { task, clock, log } = batching({ costData: KNOWN, handoverMs: 1, maxBatchSize: 16 });
    task("a");
    clock.advanceTo(2);
    task("b");
    clock.advanceTo(3);
    task("c");
    clock.advanceTo(7.999);
    expect(log).toEqual(["0: a (idle)"]);
    clock.advanceTo(8.001);
    expect(log).toEqual(["0: a (idle)", "8: b c (idle)"]);
  });

  it("waits for the answer if a request arrives less than 4 ms before it", () => {
    const { task, clock, engine, log } = batching({ costData: KNOWN, maxBatchSize: 16 });
    task("a");
    clock.advanceTo(6);
    task("b");
    clock.advanceTo(9);
    expect(log).toHaveLength(1);
    engine.answer();
    clock.endTask();
    expect(log).toEqual(["0: a (idle)", "9: b (idle)"]);
  });

  it("dispatches a full batch before the sinks of the previous one are called", () => {
    const heard: number[] = [];
    const { task, batcher, clock, engine, log } = batching();
    const sink = { resolve: () => void heard.push(log.length), reject: () => {} };
    for (let row = 0; row < 4; row++) batcher.enqueue("x", sink);
    task("abcdefgh");
    expect(log).toHaveLength(2);
    clock.advanceTo(9);
    engine.answer();
    expect(heard).toEqual([3, 3, 3, 3]);
  });
});
