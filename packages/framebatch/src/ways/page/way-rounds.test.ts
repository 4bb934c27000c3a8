import { describe, expect, it } from "vitest";
import { WayRounds, WayTurn } from "./way-rounds.js";

const OWN_MS = 10;

/**
 * The verdict of rounds in which the other way takes so long for an answer, and after how many it came; one starts
 * every `everyMs`.
 */
function judge(otherMs: (round: number) => number, everyMs = 100, rounds = new WayRounds(0)) {
  for (let round = 1; round < 1000; round += 1) {
    const isFaster = rounds.add(OWN_MS, otherMs(round), round * everyMs);
    if (isFaster !== null) return { isFaster, after: round, gain: rounds.gain };
  }
  return null;
}

/** Rounds of a way that is as fast as it gets. */
function judgeable(): WayRounds {
  const rounds = new WayRounds(0);
  rounds.add(OWN_MS, 5, 0);
  return rounds;
}

/** Numbers from 0 to 1, the same each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** A number of mean 0 and deviation 1, nearly normal. */
function normal(next: () => number): number {
  return Array.from({ length: 12 }, next).reduce((sum, each) => sum + each, -6);
}

describe("rounds of two ways", () => {
  it("are won after six gains; the first round only shows how fast a new worker is", () => {
    expect(judge(() => 5)).toEqual({ isFaster: true, after: 7, gain: 2 });
  });

  it("are not won by less than a twentieth, and end", () => {
    expect(judge(() => 9.8)).toMatchObject({ isFaster: false });
    expect(judge((round) => (round % 2 === 0 ? 9 : 11))).toMatchObject({ isFaster: false, after: 66 });
  });

  it("are lost in 3 s, whatever the number of rounds in them", () => {
    expect(judge(() => 20, 100)).toMatchObject({ isFaster: false, after: 30 });
    expect(judge(() => 20, 1000)).toMatchObject({ isFaster: false, after: 7 });
  });

  it("are won by a way that becomes faster in its first 2 s, however slow it was before", () => {
    for (const before of [10, 30, 300]) {
      const { isFaster, after } = judge((round) => (round * 100 < 2000 ? before : 5))!;
      expect([isFaster, after]).toEqual([true, 20 + 6]);
    }
  });

  it("do not count while the code of a new worker is being optimized", () => {
    expect(judge((round) => Math.max(5, 300 / 1.5 ** round))).toMatchObject({ isFaster: true, gain: 2 });
  });

  it("say at once that a way seems slow, and no more once it is faster", () => {
    const rounds = new WayRounds(0);
    const seen = [20, 20, 20, 20, 19, 5].map((otherMs) => {
      rounds.add(OWN_MS, otherMs, 0);
      return rounds.seemsSlow;
    });
    expect(seen).toEqual([false, false, true, true, true, false]);
  });

  it("are decided by no single stall", () => {
    for (let stalled = 1; stalled < 7; stalled += 1)
      expect(judge((round) => (round === stalled ? 500 : 5))).toMatchObject({ isFaster: true });
    for (let stalled = 2; stalled < 30; stalled += 1)
      expect(judge((round) => (round === stalled ? Infinity : 11))).toMatchObject({ isFaster: false });
  });

  it.each([
    { everyMs: 1000, atMost: 0.08 },
    { everyMs: 100, atMost: 0.12 },
  ])("are seldom won by a way that is slower in 65 of 100 rounds of $everyMs ms", ({ everyMs, atMost }) => {
    const trials = Array.from({ length: 1000 }, (_, seed) => {
      const next = numbers((seed + 1) * 1_000_003);
      return judge(() => (next() < 0.35 ? 5 : 20), everyMs, judgeable());
    });
    expect(trials.filter((verdict) => verdict?.isFaster).length / trials.length).toBeLessThan(atMost);
  });

  it.each([
    { gain: 0.8, isFaster: false, atLeast: 0.98 },
    { gain: 0.9, isFaster: false, atLeast: 0.95 },
    { gain: 1.2, isFaster: true, atLeast: 0.9 },
    { gain: 1.5, isFaster: true, atLeast: 0.99 },
  ])("find a gain of $gain on a noisy machine in $atLeast of all trials", ({ gain, isFaster, atLeast }) => {
    const trials = Array.from({ length: 500 }, (_, seed) => {
      const next = numbers(seed + 1);
      return judge(() => (OWN_MS / gain) * Math.exp(0.2 * normal(next)));
    });
    expect(trials.filter((verdict) => verdict?.isFaster === isFaster).length / trials.length).toBeGreaterThan(atLeast);
  });
});

/**
 * Batches of this size, one after the other, which take `ms` each, with `pauseMs` between them; until the turn is over.
 */
function run(items: number, ms: (batch: number) => number, pauseMs = 0, turn = new WayTurn()) {
  let nowMs = 1000;
  for (let batches = 1; ; batches += 1) {
    const sentAtMs = nowMs;
    nowMs += ms(batches - 1);
    const msPerItem = turn.add(items, sentAtMs, nowMs);
    if (msPerItem !== null) return { batches, msPerItem };
    nowMs += pauseMs;
  }
}

it("a turn has at least one batch, and 30 ms of batches", () => {
  expect(run(8, () => 100)).toEqual({ batches: 1, msPerItem: 12.5 });
  expect(run(2, () => 10)).toEqual({ batches: 3, msPerItem: 5 });
  expect(run(2, () => 10, 0, new WayTurn(32))).toEqual({ batches: 96, msPerItem: 5 });
});

it("a turn does not count its first 10 ms, in which the way is cold", () => {
  expect(run(1, (batch) => (batch < 3 ? 3.3 : 1))).toMatchObject({ msPerItem: 1 });
});

it("the page's work between batches counts, and the user's pauses do not", () => {
  expect(run(1, () => 12, 3).msPerItem).toBeCloseTo(14);
  expect(run(1, () => 12, 50).msPerItem).toBe(12);
});

it("batches that are on their way together take the time between their answers", () => {
  const turn = new WayTurn();
  expect([turn.add(4, 0, 20), turn.add(4, 1, 40)]).toEqual([null, 5]);
});
