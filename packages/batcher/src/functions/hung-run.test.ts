import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batched } from "./batched.js";
import type { BatchedOptions } from "../options/options.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** How long the rule `window` waits by default. */
const WINDOW_MS = 10;

/**
 * A batched function whose runs take `ms`, and never end if the first item is "hang". Its ten first calls are answered.
 */
async function warm(ms: number, options: BatchedOptions<string> = {}) {
  const answered: string[] = [];
  const run = batched<string, string>((items) => {
    if (items[0] === "hang") return new Promise(() => undefined);
    return new Promise((resolve) => setTimeout(() => resolve([...items]), ms));
  }, options);
  const ask = (item: string) => void run(item).then((result) => answered.push(result));
  for (let call = 0; call < 10; call++) {
    ask("warm");
    await vi.advanceTimersByTimeAsync(WINDOW_MS + ms);
  }
  answered.length = 0;
  return { run, ask, answered };
}

describe.each(["frame", "idle", "window"] as const)("with the rule %s, a run that never ends", (release) => {
  const options = { batching: { release } } as const;

  // defect C1
  it.each([1, 3, 30, 300])("blocks no later request, with runs of %i ms", async (ms) => {
    const { ask, answered } = await warm(ms, options);
    ask("hang");
    await vi.advanceTimersByTimeAsync(release === "window" ? WINDOW_MS : 1);
    ask("b");
    await vi.advanceTimersByTimeAsync(10 * ms + 100);
    expect(answered).toEqual(["b"]);
  });

  // defect C1
  it("blocks no caller in a loop that asked together with it", async () => {
    const { run, ask, answered } = await warm(30, options);
    const loop = async (): Promise<void> => {
      for (let call = 0; call < 5; call++) answered.push(await run(`call ${call}`));
    };
    ask("hang");
    await vi.advanceTimersByTimeAsync(release === "window" ? WINDOW_MS : 1);
    void loop();
    await vi.advanceTimersByTimeAsync(2000);
    expect(answered).toEqual(["call 0", "call 1", "call 2", "call 3", "call 4"]);
  });
});
