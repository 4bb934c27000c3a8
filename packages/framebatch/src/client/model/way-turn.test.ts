import { expect, it } from "vitest";
import { WayTurn } from "./way-turn.js";

/** Batches of this size, one after the other, which take `ms` each, with `pauseMs` between them; until the turn is over. */
function run(items: number, ms: (batch: number) => number, pauseMs = 0, turn = new WayTurn()) {
  let nowMs = 1000;
  let batches = 0;
  for (let isOver = false; !isOver; batches += 1) {
    const sentAtMs = nowMs;
    nowMs += ms(batches);
    isOver = turn.add(items, sentAtMs, nowMs);
    nowMs += pauseMs;
  }
  return { batches, msPerItem: turn.msPerItem };
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
  turn.add(4, 0, 20);
  turn.add(4, 1, 40);
  expect(turn.msPerItem).toBe(5);
});
