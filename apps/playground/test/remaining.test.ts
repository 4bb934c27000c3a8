import { expect, it } from "vitest";
import { announce } from "../src/verdict/announcement.js";
import { describeRemaining } from "../src/verdict/remaining.js";

it("the countdown names the seconds that are left", () => {
  expect(describeRemaining({ remainingMs: 8200, isExtended: false })).toBe(
    "Measuring both ways in turn. About 8 seconds left.",
  );
  expect(describeRemaining({ remainingMs: 200, isExtended: false })).toContain("About 1 second left");
});

it("more slices say why the countdown grows, on the page and to a screen reader", () => {
  expect(describeRemaining({ remainingMs: 4000, isExtended: true })).toBe("Still unclear: 4 more seconds.");
  const progress = {
    step: "measuring",
    next: "single",
    soFar: [],
    total: 16,
    remainingMs: 4000,
    isExtended: true,
  } as const;
  expect(announce({ phase: "running", progress })).toBe("Still unclear: a few more slices.");
});
