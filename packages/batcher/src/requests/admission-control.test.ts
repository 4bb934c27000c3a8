import { describe, expect, it } from "vitest";
import { AdmissionControl } from "./admission-control.js";

describe("admission control", () => {
  const ask = (door: AdmissionControl, nowMs: number, predictedMs: number): boolean =>
    door.refuseLate(nowMs, () => predictedMs, false) === null;

  it("accepts requests up to the queue's maximum", () => {
    const door = new AdmissionControl(3, 100);
    expect([2, 3, 4].map((queued) => door.refuseFull(queued) === null)).toEqual([true, false, false]);
  });

  it("does not predict without an objective", () => {
    const never = (): number => {
      throw new Error("predicted");
    };
    expect(new AdmissionControl(3, Infinity).refuseLate(0, never, false)).toBeNull();
  });

  it("accepts a request that is predicted to finish exactly at the objective", () => {
    const door = new AdmissionControl(Infinity, 100);
    expect([ask(door, 0, 100), ask(door, 0, 100.001)]).toEqual([true, false]);
  });

  it("keeps a margin of 5 % once refusals have continued for as long as the objective", () => {
    const door = new AdmissionControl(Infinity, 100);
    for (const nowMs of [0, 50, 99]) expect(ask(door, nowMs, 101)).toBe(false);
    expect(ask(door, 99, 96)).toBe(true);
    expect([ask(door, 100, 96), ask(door, 100, 95)]).toEqual([false, true]);
  });

  it("drops the margin after no refusal for as long as the objective", () => {
    const door = new AdmissionControl(Infinity, 100);
    for (let nowMs = 0; nowMs <= 200; nowMs += 50) ask(door, nowMs, 101);
    expect(door.isOverloaded(300)).toBe(true);
    expect(door.isOverloaded(300.001)).toBe(false);
    expect(ask(door, 301, 100)).toBe(true);
    ask(door, 302, 101);
    expect(ask(door, 303, 100)).toBe(true);
  });

  it("keeps no margin for a single burst, however large", () => {
    const door = new AdmissionControl(Infinity, 100);
    for (let request = 0; request < 1000; request++) ask(door, 5, 101);
    expect(ask(door, 6, 100)).toBe(true);
  });

  it("starts a trial a second after the last slow run, or after the first request that seemed late", () => {
    const door = new AdmissionControl(Infinity, 100);
    expect([0, 999, 1000].map((nowMs) => door.startTrial(nowMs, 101))).toEqual([false, false, true]);
    door.ran({ dispatchedAtMs: 1000, completedAtMs: 1101 });
    expect([2100, 2101].map((nowMs) => door.startTrial(nowMs, 101))).toEqual([false, true]);
    door.ran({ dispatchedAtMs: 2101, completedAtMs: 2200 });
    expect(door.startTrial(2200, 101)).toBe(true);
  });

  it("starts no trial for a request that had little time left when it came", () => {
    const door = new AdmissionControl(Infinity, 100);
    expect([0, 1000].map((nowMs) => door.startTrial(nowMs, 99))).toEqual([false, false]);
  });

  it("counts requests shed at dispatch like refused requests", () => {
    const door = new AdmissionControl(Infinity, 100);
    for (let nowMs = 0; nowMs <= 100; nowMs += 50) door.strained(nowMs);
    expect(door.isOverloaded(100)).toBe(true);
  });
});
