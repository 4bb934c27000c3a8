import type { DetailedResult } from "framebatch";
import { afterEach, expect, it, vi } from "vitest";
import { ActivityLog } from "../src/instruments/activity-log.js";

const FRAME_MS = 1000 / 60;

/** A screen whose frames a test paints. */
class Screen {
  #nowMs = 0;
  #request = 0;
  readonly #callbacks = new Map<number, (startMs: number) => void>();

  constructor() {
    vi.spyOn(performance, "now").mockImplementation(() => this.#nowMs);
    vi.stubGlobal("requestAnimationFrame", (callback: (startMs: number) => void) => {
      this.#callbacks.set(++this.#request, callback);
      return this.#request;
    });
    vi.stubGlobal("cancelAnimationFrame", (request: number) => this.#callbacks.delete(request));
  }

  get isWatched(): boolean {
    return this.#callbacks.size > 0;
  }

  /** Paints frames. What waits for one goes on before the next. */
  async paint(frames: number): Promise<void> {
    for (let frame = 0; frame < frames; frame++) {
      this.#nowMs += FRAME_MS;
      const callbacks = [...this.#callbacks.values()];
      this.#callbacks.clear();
      for (const callback of callbacks) callback(this.#nowMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const RESULT: DetailedResult = {
  outputs: {},
  origin: "device",
  batch: null,
  timing: { queueMs: 0, inferenceMs: 0, totalMs: 0 },
};

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("an answer counts with the frame that shows it, however long it takes and however quiet the page is then", async () => {
  const screen = new Screen();
  const log = new ActivityLog();
  await screen.paint(30);
  let answer: (result: DetailedResult) => void = () => {};
  const predictDetailed = () => new Promise<DetailedResult>((resolve) => (answer = resolve));
  const asked = log.askDetailed({ predictDetailed }, "a click", {});
  await screen.paint(60);
  answer(RESULT);
  await asked;
  await screen.paint(1);
  expect(log.totals).toMatchObject({ shown: 1, dropped: 0, painted: 61 });
  expect(log.totals.framesToShow).toBeCloseTo(61, 5);
});

it("frames are not recorded while there are no requests", async () => {
  const screen = new Screen();
  const log = new ActivityLog();
  await screen.paint(30);
  expect(screen.isWatched).toBe(false);
  await log.askDetailed({ predictDetailed: () => Promise.resolve(RESULT) }, "a click", {});
  await screen.paint(60);
  expect(screen.isWatched).toBe(false);
  expect(log.totals.shown).toBe(1);
});
