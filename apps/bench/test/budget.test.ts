import { describe, expect, it } from "vitest";
import { Budget } from "../src/run/budget.js";

describe("the time budget", () => {
  it("gives each part its share of the remaining time, by weight", () => {
    let nowMs = 0;
    const budget = new Budget(100, 4, () => nowMs);
    expect(budget.nextDeadlineMs(1)).toBe(25);
    nowMs = 10;
    expect(budget.nextDeadlineMs(1)).toBe(40);
    nowMs = 40;
    budget.skip(1);
    expect(budget.nextDeadlineMs(1)).toBe(100);
  });

  it("is spent when its time is over", () => {
    let nowMs = 0;
    const budget = new Budget(100, 1, () => nowMs);
    nowMs = 99;
    expect(budget.isSpent()).toBe(false);
    nowMs = 100;
    expect(budget.isSpent()).toBe(true);
  });
});
