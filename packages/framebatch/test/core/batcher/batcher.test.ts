import { describe, expect, it } from "vitest";
import { batching } from "../../support/batching.js";
import { costs } from "../../support/known-costs.js";

/** 8 ms and 1 ms a row. Frames are 16 ms apart, so a lone request that comes at 1 can be painted at 16. */
const knownMs = (size: number): number => 8 + size;
const KNOWN = costs(knownMs);

describe("a burst", () => {
  it("made in one task is one batch", () => {
    const { task, log } = batching();
    task("abc");
    expect(log).toEqual(["0: a b c (idle)"]);
  });

  it("that goes on across microtasks is one batch", () => {
    const { ask, clock, log } = batching();
    ask("a");
    clock.afterMicrotasks(() => {
      ask("b");
      clock.afterMicrotasks(() => ask("c"));
    });
    clock.drain();
    expect(log).toEqual([]);
    clock.endTask();
    expect(log).toEqual(["0: a b c (idle)"]);
  });

  it("that fills a batch leaves in the middle of its task, and the rest of it after", () => {
    const { ask, clock, log } = batching();
    for (const item of "abcd") ask(item);
    expect(log).toEqual(["0: a b c d (full)"]);
    ask("e");
    expect(log).toHaveLength(1);
    clock.endTask();
    expect(log).toEqual(["0: a b c d (full)", "0: e (idle)"]);
  });

  it("larger than two batches keeps two in flight and no more, and the rest in order", () => {
    const { task, clock, engine, log } = batching();
    task("abcdefghijkl");
    expect(log).toEqual(["0: a b c d (full)", "0: e f g h (full)"]);
    clock.advanceTo(9);
    engine.answer();
    expect(log.slice(2)).toEqual(["9: i j k l (full)"]);
  });

  it("keeps two in flight for each of two engines", () => {
    const { task, log } = batching({ engines: 2, maxBatchSize: 1 });
    task("abcdef");
    expect(log).toHaveLength(4);
  });
});

describe("a lone caller", () => {
  it("who asks again in its answer is served without waiting for the task to end", () => {
    const { task, ask, clock, engine, log } = batching();
    task("a");
    clock.advanceTo(9);
    engine.answer();
    ask("b");
    expect(log).toHaveLength(1);
    clock.drain();
    expect(log).toEqual(["0: a (idle)", "9: b (idle)"]);
  });

  it("waits for the task to end when not all who were answered are back", () => {
    const { task, ask, clock, engine, log } = batching();
    task("ab");
    clock.advanceTo(9);
    engine.answer();
    ask("c");
    clock.drain();
    expect(log).toHaveLength(1);
    clock.endTask();
    expect(log).toEqual(["0: a b (idle)", "9: c (idle)"]);
  });

  it("who takes its time to ask again waits for the task to end", () => {
    const { task, ask, clock, engine, log } = batching();
    task("a");
    engine.answer();
    clock.advanceTo(0.26);
    ask("b");
    clock.drain();
    expect(log).toHaveLength(1);
  });
});

const ROUNDS = 32;
const ROUND_MS = 64;

/**
 * A batcher with release `frame` that has learned that requests come by themselves while a batch could wait. Its clock and its log
 * begin again at 0, on a frame.
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
  it("sends the batch at its latest start, and not one tick before", () => {
    const { task, log, advanceTo } = framed();
    advanceTo(1);
    task("a");
    // One more could join, and still be painted at 16, until 16 - t(2).
    advanceTo(5.999);
    expect(log()).toEqual([]);
    advanceTo(6);
    expect(log()).toEqual(["6: a (frame)"]);
  });

  it("takes along a request that comes meanwhile, and is sent by so much earlier", () => {
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

  it("leaves at once when it fills up", () => {
    const { task, log, advanceTo } = framed();
    advanceTo(1);
    task("a");
    advanceTo(2);
    task("bcd");
    expect(log()).toEqual(["2: a b c d (full)"]);
  });

  it("keeps a margin for alarms that come late", () => {
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
    // The last alarm was 1.5 ms late, and nine tenths of that are kept as a margin: 48 - t(2) - 1.35.
    advanceTo(36.649);
    expect(log()).toHaveLength(1);
    advanceTo(36.651);
    expect(log()).toEqual(["7.5: a (frame)", "36.65: b (frame)"]);
  });

  it("serves everyone at once before anything is known of the engine", () => {
    const { task, clock, log } = batching({ release: "frame" });
    clock.advanceTo(1);
    task("a");
    expect(log).toEqual(["1: a (idle)"]);
  });

  it("serves everyone at once until some have come who were not answered just before", () => {
    const { task, clock, log } = batching({ release: "frame", costData: KNOWN });
    clock.advanceTo(1);
    task("a");
    expect(log).toEqual(["1: a (idle)"]);
  });

  it("gives up waits that nobody joins", () => {
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

  it("works as idle in a hidden tab, and sends what waits as the tab is hidden", () => {
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
  it("counts from the oldest request, and never starts again", () => {
    const { task, clock, log } = batching({ release: "window", maxQueueDelayMs: 10 });
    task("a");
    clock.advanceTo(9);
    task("b");
    clock.advanceTo(9.999);
    expect(log).toEqual([]);
    clock.advanceTo(10);
    expect(log).toEqual(["10: a b (window)"]);
  });

  it("counts from the next one when the oldest leaves the queue", () => {
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

  it("counts from an identical request that inherits the row of the oldest", () => {
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

  it("of 10 ms is the default, and a full batch does not wait for it", () => {
    const { task, clock, log } = batching({ release: "window" });
    task("abcde");
    expect(log).toEqual(["0: a b c d (full)"]);
    clock.advanceTo(10);
    expect(log).toEqual(["0: a b c d (full)", "10: e (window)"]);
  });
});

describe("release: off", () => {
  it("sends each request alone, at once", () => {
    const { ask, log } = batching({ release: "off" });
    for (const item of "abc") ask(item);
    expect(log).toEqual(["0: a (unbatched)", "0: b (unbatched)", "0: c (unbatched)"]);
  });
});

describe("flush", () => {
  it("sends what waits, and has those who come later wait as ever", () => {
    const { task, batcher, clock, log } = batching({ release: "window" });
    task("ab");
    batcher.flush();
    task("c");
    expect(log).toEqual(["0: a b (flush)"]);
    clock.advanceTo(10);
    expect(log).toEqual(["0: a b (flush)", "10: c (window)"]);
  });

  it("is forgotten when what it was to send is withdrawn", () => {
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

  it("while two batches are in flight sends the rest as soon as one is answered", () => {
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

describe("just in time", () => {
  it("forms the second batch a handover before the first is due to end", () => {
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

  it("leaves it to the answer where someone comes with less than 4 ms to go", () => {
    const { task, clock, engine, log } = batching({ costData: KNOWN, maxBatchSize: 16 });
    task("a");
    clock.advanceTo(6);
    task("b");
    expect(clock.pending).toBe(0);
    clock.advanceTo(9);
    expect(log).toHaveLength(1);
    engine.answer();
    clock.endTask();
    expect(log).toEqual(["0: a (idle)", "9: b (idle)"]);
  });

  it("hands a full batch over before the callers of the one before are heard", () => {
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
