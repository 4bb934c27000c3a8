import { afterEach, expect, it, vi } from "vitest";
import { whenReleased } from "./lifeline.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { WebLocks } from "../../../test/support/web-locks.js";

afterEach(() => void vi.unstubAllGlobals());

/** A worker that holds its lock, and a page that waits for its end. */
async function scene() {
  const locks = new WebLocks();
  vi.stubGlobal("navigator", { locks });
  const clock = new ManualClock();
  const onRelease = vi.fn();
  void locks.request("lifeline", () => new Promise(() => undefined));
  await settled();
  const cancel = whenReleased("lifeline", clock, onRelease);
  await settled();
  return { locks, clock, onRelease, cancel };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("tells of the end of a worker only after its last answers may have arrived", async () => {
  const { locks, clock, onRelease } = await scene();
  locks.drop("lifeline");
  await settled();
  clock.advanceTo(49);
  expect(onRelease).not.toHaveBeenCalled();
  clock.advanceTo(50);
  expect(onRelease).toHaveBeenCalledOnce();
});

it("tells nothing after it has been cancelled, and leaves no timer", async () => {
  for (const isEnded of [false, true]) {
    const { locks, clock, onRelease, cancel } = await scene();
    if (isEnded) locks.drop("lifeline");
    await settled();
    cancel();
    locks.drop("lifeline");
    await settled();
    clock.advanceTo(1000);
    expect([onRelease.mock.calls, clock.pending]).toEqual([[], 0]);
  }
});
