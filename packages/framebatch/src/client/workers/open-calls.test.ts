import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OpenCalls } from "./open-calls.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Calls that lend something, and stay open until the test returns them, and a log of events. */
function lending(count: number) {
  const loans = new OpenCalls();
  const log: string[] = [];
  const back = Array.from({ length: count }, (_, index) => {
    let resolve: (value: string) => void = () => undefined;
    void loans.add(new Promise<string>((resolveIt) => (resolve = resolveIt))).then(
      (value) => log.push(value),
      (reason) => log.push(`${index} rejects: ${reason}`),
    );
    return () => resolve(`${index} is back`);
  });
  const end = () => loans.drain(() => log.push("terminated"), "it died");
  return { loans, log, back, end };
}

describe("a worker that is being terminated", () => {
  it("terminates at once if it holds no loans", () => {
    const { log, end } = lending(0);
    end();
    expect(log).toEqual(["terminated"]);
  });

  it("terminates after half a second, although it was given more time, once nobody needs its loans", async () => {
    const { loans, log } = lending(1);
    loans.drain(() => log.push("terminated"), "it died", 60_000);
    await vi.advanceTimersByTimeAsync(1000);
    loans.drain(() => undefined, "its model has ended");
    await vi.advanceTimersByTimeAsync(499);
    expect(log).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(["terminated", "0 rejects: its model has ended"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual(["terminated", "0 rejects: its model has ended"]);
  });

  it("terminates once all loans are returned", async () => {
    const { log, back, end } = lending(2);
    end();
    back[0]?.();
    await vi.advanceTimersByTimeAsync(499);
    expect(log).toEqual(["0 is back"]);
    back[1]?.();
    await vi.advanceTimersByTimeAsync(1000);
    expect(log).toEqual(["0 is back", "1 is back", "terminated"]);
  });

  it("terminates after half a second, and its open loans are lost", async () => {
    const { log, end } = lending(1);
    end();
    await vi.advanceTimersByTimeAsync(499);
    expect(log).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toEqual(["terminated", "0 rejects: it died"]);
  });
});
