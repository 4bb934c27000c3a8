import { afterEach, expect, it, vi } from "vitest";
import { deviceFinder } from "./device.js";

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
