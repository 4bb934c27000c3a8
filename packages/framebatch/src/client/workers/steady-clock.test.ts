import { afterEach, expect, test, vi } from "vitest";
import { createSteadyClock } from "./steady-clock.js";
import { hostSite } from "../../../test/support/channel-worker.js";

afterEach(() => void vi.unstubAllGlobals());

test("a closed clock listens to nothing, also for a timer that is set later", () => {
  const listeners = new Set<unknown>();
  const add = (type: string) => void listeners.add(type);
  const remove = (type: string) => void listeners.delete(type);
  vi.stubGlobal("document", { visibilityState: "visible", addEventListener: add, removeEventListener: remove });
  vi.stubGlobal("addEventListener", add);
  vi.stubGlobal("removeEventListener", remove);
  const clock = createSteadyClock(hostSite());
  const cancel = clock.schedule(clock.now() + 1e6, () => undefined);
  expect(listeners.size).toBe(3);
  cancel();
  clock.close();
  expect(listeners.size).toBe(0);
  clock.schedule(clock.now() + 1e6, () => undefined)();
  expect(listeners.size).toBe(0);
});
