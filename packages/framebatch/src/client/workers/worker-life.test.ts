import { afterEach, expect, it, vi } from "vitest";
import { whenReleased } from "./worker-life.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { WebLocks } from "../../../test/support/web-locks.js";

afterEach(() => void vi.unstubAllGlobals());

/** A worker that holds its lock, and a page that waits for its end. */
async function scene() {
  const locks = new WebLocks();
  vi.stubGlobal("navigator", { locks });
  const clock = new ManualClock();
  const [onRelease, onEnd] = [vi.fn(), vi.fn()];
  void locks.request("lifeline", () => new Promise(() => undefined));
  await settled();
  const cancel = whenReleased("lifeline", clock, { onRelease, onEnd });
  await settled();
  return { locks, clock, onRelease, onEnd, cancel };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("tells of the end of a worker at once, and again after its last answers may have arrived", async () => {
  const { locks, clock, onRelease, onEnd } = await scene();
  expect(onRelease).not.toHaveBeenCalled();
  locks.drop("lifeline");
  await settled();
  clock.advanceTo(49);
  expect([onRelease.mock.calls.length, onEnd.mock.calls.length]).toEqual([1, 0]);
  clock.advanceTo(50);
  expect([onRelease.mock.calls.length, onEnd.mock.calls.length]).toEqual([1, 1]);
});

it("tells nothing after it has been cancelled, and leaves no timer", async () => {
  for (const isEnded of [false, true]) {
    const { locks, clock, onEnd, cancel } = await scene();
    if (isEnded) locks.drop("lifeline");
    await settled();
    cancel();
    locks.drop("lifeline");
    await settled();
    clock.advanceTo(1000);
    expect([onEnd.mock.calls, clock.pending]).toEqual([[], 0]);
  }
});

// In Chromium, a page whose site data was cleared does not see the locks of workers that it starts from then on.
it("tells nothing of a worker whose lock this page cannot see", async () => {
  vi.stubGlobal("navigator", { locks: new WebLocks() });
  const clock = new ManualClock();
  const [onRelease, onEnd] = [vi.fn(), vi.fn()];
  whenReleased("lifeline", clock, { onRelease, onEnd });
  await settled();
  clock.advanceTo(1000);
  expect([onRelease.mock.calls, onEnd.mock.calls, clock.pending]).toEqual([[], [], 0]);
});
