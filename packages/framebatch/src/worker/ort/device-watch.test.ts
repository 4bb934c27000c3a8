import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, it, vi } from "vitest";
import { nextTask } from "./next-task.js";
import { DeviceWatch } from "./device-watch.js";

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
