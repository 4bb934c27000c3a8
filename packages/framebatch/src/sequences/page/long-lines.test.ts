import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countArrayWalks } from "@framebatch/batcher/test/array-walks.js";
import { countSetWalks } from "@framebatch/batcher/test/set-walks.js";
import { LineScene } from "../../../test/support/line-scene.js";

const COUNT = 2000;

let scene: LineScene;
beforeEach(() => void (scene = new LineScene()));
afterEach(() => void vi.restoreAllMocks());

describe("a line of many steps with one signal", () => {
  it("takes and aborts each of them without a look at the others", async () => {
    const { sequence } = scene.start({ maxQueueSize: COUNT });
    const controller = new AbortController();
    const { signal } = controller;
    const listen = vi.spyOn(signal, "addEventListener");
    const [arrays, sets] = [countArrayWalks(), countSetWalks()];
    const steps = Array.from({ length: COUNT }, (_, item) => sequence.predict(item, { signal }));
    controller.abort("enough");
    expect(new Set((await Promise.allSettled(steps)).map(({ status }) => status))).toEqual(new Set(["rejected"]));
    // One for the steps that wait, and one for the request of the first.
    expect(listen.mock.calls.filter(([type]) => type === "abort").length).toBeLessThan(4);
    expect(arrays.elements).toBeLessThan(10 * COUNT);
    expect(sets.walks).toBeLessThan(10);
  });

  it("gives each its turn, and drops the oldest, without a look at the others", async () => {
    const { sequence } = scene.start({ overflow: "drop-oldest", maxQueueSize: COUNT / 2 });
    const arrays = countArrayWalks();
    const steps = Array.from({ length: COUNT }, (_, item) => sequence.predict(item).catch(() => item));
    for (let step = 0; step <= COUNT / 2; step++) await scene.answer();
    const dropped = (await Promise.all(steps)).filter((outcome) => typeof outcome === "number");
    expect([dropped.length, dropped[0]]).toEqual([COUNT / 2 - 1, 1]);
    expect(arrays.elements).toBeLessThan(20 * COUNT);
  });
});
