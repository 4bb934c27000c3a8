import { describe, expect, it } from "vitest";
import { FrameLine } from "../src/statistics/frames.js";

describe("frames to paint", () => {
  const steady = new FrameLine([10, 20, 30, 40], 10);
  /** The frames due at 30 and 40 were dropped. */
  const janky = new FrameLine([10, 20, 50, 60], 10);

  it("is 1 for an answer that the next frame shows", () => {
    expect(steady.framesToPaint(11, 19)).toBe(1);
  });

  it("counts an answer at the time of a frame as shown by this frame", () => {
    expect(steady.framesToPaint(11, 20)).toBe(1);
    expect(steady.framesToPaint(11, 20.01)).toBe(2);
  });

  it("counts every frame painted before the answer", () => {
    expect(steady.framesToPaint(5, 35)).toBe(4);
  });

  it("counts dropped frames", () => {
    expect(janky.framesToPaint(21, 25)).toBe(3);
    expect(janky.framesToPaint(35, 36)).toBe(2);
    expect(janky.framesToPaint(45, 46)).toBe(1);
    expect(janky.framesToPaint(15, 55)).toBe(5);
  });

  it("counts due frames before the first recorded frame", () => {
    expect(janky.framesToPaint(-15, 5)).toBe(3);
  });

  it("treats a slightly late frame as on time", () => {
    const late = new FrameLine([10, 22, 32], 10);
    expect(late.framesToPaint(10.5, 11)).toBe(1);
  });

  it("is unknown if the frame that shows the answer was not recorded", () => {
    expect(steady.framesToPaint(11, 41)).toBeNaN();
  });
});

describe("dropped frames", () => {
  it("are none on a steady page, whatever the jitter", () => {
    expect(new FrameLine([0, 16, 34, 49], 16.7).dropped(-12)).toBe(0);
    expect(new FrameLine([0, 16, 34, 49], 16.7).dropped(-18)).toBe(0);
    expect(new FrameLine([], 16.7).dropped(0)).toBe(0);
  });

  it("are the missing frames of a gap", () => {
    expect(new FrameLine([0, 16.7, 66.8, 83.5], 16.7).dropped(-9)).toBe(2);
  });

  it("are also those before the first one, on a page that is blocked from the start", () => {
    expect(new FrameLine([1010, 1020], 10).dropped(10)).toBe(99);
  });
});
