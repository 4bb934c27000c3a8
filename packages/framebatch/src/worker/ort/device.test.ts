import { afterEach, expect, it, vi } from "vitest";
import { deviceFinder, DeviceWatch } from "./device.js";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { nextTask } from "./next-task.js";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("does without a GPU whose process never answers", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", { gpu: { requestAdapter: () => new Promise(() => undefined) } });
  const device = deviceFinder(false)("webgpu");
  await vi.advanceTimersByTimeAsync(11_000);
  expect(await device).toEqual({
    missing: "asking for a GPU adapter failed: Error: the browser did not answer within 10000 ms",
  });
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

afterEach(() => void vi.unstubAllGlobals());

class Device extends EventTarget {
  readonly lost = new Promise<never>(() => undefined);
}

/** Watches for a model, and keeps nothing but a weak reference to it. */
function watchForModel(device: Device): WeakRef<object> {
  const model = { isLost: false };
  new DeviceWatch(device).whenEnded(() => (model.isLost = true));
  return new WeakRef(model);
}

it("a device that goes on does not hold the models that have left", async () => {
  const device = new Device();
  const model = watchForModel(device);
  await nextTask();
  collectGarbage();
  expect(model.deref()).toBeUndefined();
});

it("a device that refuses a call ends the model that holds its watch", async () => {
  vi.stubGlobal("GPUOutOfMemoryError", RangeError);
  const device = new Device();
  const watch = new DeviceWatch(device);
  const onEnd = vi.fn();
  watch.whenEnded(onEnd);
  await nextTask();
  collectGarbage();
  device.dispatchEvent(Object.assign(new Event("uncapturederror"), { error: { message: "too large" } }));
  expect(onEnd.mock.calls).toEqual([[expect.objectContaining({ code: "DEVICE_LOST" })]]);
  expect(() => watch.check()).toThrow("too large");
});
