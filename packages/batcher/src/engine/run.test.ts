import { describe, expect, it } from "vitest";
import { InFlight, type InFlightBatch } from "./run.js";

function flights(engines: number, ...expected: number[]) {
  const inFlight = new InFlight(engines);
  const all = expected.map((expectedMs, index) => dispatched(inFlight, index, expectedMs));
  return { inFlight, all };
}

function dispatched(inFlight: InFlight, dispatchedAtMs: number, expectedMs: number): InFlightBatch {
  const flight = { dispatchedAtMs, expectedMs, backgroundMs: 0, startedAtMs: null };
  inFlight.dispatched(flight);
  return flight;
}

describe("the batches in flight on one engine", () => {
  it("leave it free while there are none", () => {
    const { inFlight } = flights(1);
    expect([inFlight.batches.size, inFlight.freeAtMs(7)]).toEqual([0, 7]);
  });

  it("run one after the other", () => {
    const { inFlight, all } = flights(1, 10, 20);
    expect(inFlight.freeAtMs(5)).toBe(30);
    expect(inFlight.ended(all[0]!, 12)).toBe(12);
    expect(inFlight.freeAtMs(12)).toBe(32);
    expect(inFlight.ended(all[1]!, 30)).toBe(18);
    expect(inFlight.freeAtMs(31)).toBe(31);
  });

  it("are expected at any moment once they are late, and later batches after them", () => {
    const { inFlight } = flights(1, 10, 20);
    expect(inFlight.freeAtMs(15)).toBe(35);
  });

  it("start at their dispatch if the engine was free before", () => {
    const { inFlight, all } = flights(1, 10);
    inFlight.ended(all[0]!, 10);
    const later = dispatched(inFlight, 50, 10);
    expect(inFlight.freeAtMs(50)).toBe(60);
    expect(inFlight.ended(later, 58)).toBe(8);
  });
});

describe("the batches in flight on two engines", () => {
  it("leave an engine free while the other runs one", () => {
    expect(flights(2, 10).inFlight.freeAtMs(5)).toBe(5);
  });

  it("run side by side, and the next one on the engine that is free first", () => {
    const { inFlight } = flights(2, 10, 4, 20);
    // The second batch ends at 5 and the third follows it until 25. The first ends at 10.
    expect(inFlight.freeAtMs(2)).toBe(10);
  });

  it("do not count the time in which both engines ran other batches", () => {
    const { inFlight, all } = flights(2, 10, 10, 10, 10);
    expect(inFlight.ended(all[0]!, 10)).toBe(10);
    expect(inFlight.ended(all[1]!, 11)).toBe(10);
    expect(inFlight.ended(all[2]!, 20)).toBe(10);
    expect(inFlight.ended(all[3]!, 21)).toBe(10);
  });

  it("are expected from their own start, even if the other engine became free recently", () => {
    const { inFlight, all } = flights(2, 100, 10);
    inFlight.ended(all[1]!, 11);
    dispatched(inFlight, 50, 200);
    expect(inFlight.freeAtMs(50)).toBe(100);
  });
});
