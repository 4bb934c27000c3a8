import { describe, expect, it } from "vitest";
import { FrameMargin } from "./situation-now.js";

/** Records a batch that waits for the frame at `frameMs` and is answered at `completedAtMs`. */
function ran(margin: FrameMargin, frameMs: number, completedAtMs: number): void {
  margin.dispatched({ dispatchedAtMs: frameMs - 5, frameMs, periodMs: 16 });
  margin.answered({ dispatchedAtMs: frameMs - 5, completedAtMs });
}

describe("the margin before a frame", () => {
  it("grows by as much as a batch was late", () => {
    const margin = new FrameMargin();
    ran(margin, 16, 18);
    ran(margin, 32, 33);
    expect(margin.ms).toBeCloseTo(3, 10);
  });

  it("shrinks slowly while batches are on time", () => {
    const margin = new FrameMargin();
    ran(margin, 16, 18);
    for (let frameMs = 32; frameMs < 32 + 139 * 16; frameMs += 16) ran(margin, frameMs, frameMs);
    expect(margin.ms).toBeCloseTo(1, 2);
  });

  it("is at most a frame, however late batches are", () => {
    const margin = new FrameMargin();
    ran(margin, 16, 10_000);
    ran(margin, 10_016, 10_030);
    expect(margin.ms).toBe(16);
  });

  it("shrinks with batches that waited for no frame, and never grows with them", () => {
    const margin = new FrameMargin();
    margin.answered({ dispatchedAtMs: 11, completedAtMs: 500 });
    expect(margin.ms).toBe(0);
    ran(margin, 516, 10_000);
    for (let batch = 0; batch < 139; batch++) margin.answered({ dispatchedAtMs: 11, completedAtMs: 500 });
    expect(margin.ms).toBeCloseTo(8, 1);
  });

  it("counts the newest batch if an older one is never answered", () => {
    const margin = new FrameMargin();
    margin.dispatched({ dispatchedAtMs: 11, frameMs: 16, periodMs: 16 });
    ran(margin, 32, 34);
    margin.answered({ dispatchedAtMs: 11, completedAtMs: 500 });
    expect(margin.ms).toBeCloseTo(1.99, 10);
  });
});
