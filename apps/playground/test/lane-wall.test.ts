import { afterEach, expect, test, vi } from "vitest";
import { LaneWall } from "../src/comparison/lane-wall.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("the last answers are drawn also for visitors who prefer reduced motion", () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  vi.stubGlobal("requestAnimationFrame", (paint: () => void) => setTimeout(paint, 16));
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  const drawn: number[] = [];
  const nothing = (): void => {};
  const context = { clearRect: nothing, setTransform: nothing, beginPath: nothing, roundRect: nothing, fill: nothing };
  const wall = new LaneWall();
  const colours = { ink: "", muted: "", line: "", accent: "" };
  const canvas: HTMLCanvasElement = Object.create({ getContext: () => context, width: 100, height: 50 });
  wall.show(canvas, 2, colours);
  wall.begin({ callers: 2, pace: "continuous", item: () => [], draw: ({ turn }) => drawn.push(turn) });
  wall.answer(0, 1, {});
  vi.advanceTimersByTime(20);
  wall.answer(0, 2, {});
  vi.advanceTimersByTime(20);
  expect(drawn).toEqual([1]);
  vi.advanceTimersByTime(600);
  expect(drawn).toEqual([1, 2]);
});
